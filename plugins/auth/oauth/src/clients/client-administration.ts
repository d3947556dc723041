import { randomBytes, randomUUID } from 'node:crypto';
import { manageOAuthClients } from '@sextant/contracts';
import type {
  Audit,
  NewOAuthClient,
  OAuthClientEditor,
  OAuthClientFilter,
  OAuthClientInfo,
  OAuthClients,
} from '@sextant/contracts';
import { SextantError, hasPermission, requireScope } from '@sextant/core';
import type { z } from 'zod';
import type { ClientStore } from './client-store.ts';
import { namedClient } from '../config.ts';
import type { NamedClient } from '../config.ts';

/** What operators do with clients, checked and recorded; at the terminal of the machine there is no editor, and everything is allowed. */
export class ClientAdministration implements OAuthClients {
  readonly #clients: ClientStore;
  readonly #audit: Audit | undefined;

  constructor(clients: ClientStore, audit: Audit | undefined) {
    this.#clients = clients;
    this.#audit = audit;
  }

  async list(by: OAuthClientEditor, filter: OAuthClientFilter): Promise<{ clients: OAuthClientInfo[]; total: number }> {
    requireManager(by);
    return this.#clients.list(filter);
  }

  async find(by: OAuthClientEditor, clientId: string): Promise<OAuthClientInfo> {
    requireManager(by);
    return this.#clients.describe(clientId);
  }

  async create(
    by: OAuthClientEditor,
    { clientId = randomUUID(), name, redirectUris, isConfidential }: NewOAuthClient,
  ): Promise<OAuthClientInfo & { secret?: string }> {
    requireManager(by);
    const secret = isConfidential ? { secret: randomBytes(32).toString('base64url') } : {};
    const created = await this.add({ clientId, name, redirectUris: [...redirectUris], ...secret }, by);
    return { ...created, ...secret };
  }

  async setRedirectUris(
    by: OAuthClientEditor,
    { clientId, redirectUris }: { clientId: string; redirectUris: readonly string[] },
  ): Promise<OAuthClientInfo> {
    requireManager(by);
    const given = checked(namedClient.pick({ redirectUris: true }), { redirectUris });
    const changed = await this.#clients.setRedirectUris(clientId, given.redirectUris);
    this.#record('client.changed', changed, by);
    return changed;
  }

  async remove(by: OAuthClientEditor, clientId: string): Promise<void> {
    requireManager(by);
    await this.drop(clientId, by);
  }

  /** Names a client, with a secret of the operator's own if it has one. */
  async add(client: NamedClient, by?: OAuthClientEditor): Promise<OAuthClientInfo> {
    const added = await this.#clients.add(checked(namedClient, client));
    this.#record('client.created', added, by);
    return added;
  }

  async drop(clientId: string, by?: OAuthClientEditor): Promise<void> {
    this.#record('client.removed', await this.#clients.remove(clientId), by);
  }

  #record(action: string, { clientId, name, redirectUris }: OAuthClientInfo, by: OAuthClientEditor | undefined): void {
    const { caller, remoteAddress: address } = by ?? {};
    this.#audit?.record({
      action,
      outcome: 'success',
      client: clientId,
      detail: [name, ...redirectUris].join(' '),
      ...(caller && { actor: { id: caller.user.id, name: caller.user.name } }),
      ...(address !== undefined && { address }),
    });
  }
}

function requireManager({ caller }: OAuthClientEditor): void {
  requireScope(caller, 'all');
  if (!hasPermission(caller, manageOAuthClients))
    throw new SextantError('forbidden', `this needs the permission ${manageOAuthClients}`);
}

/** By the rules of the configuration. Throws `invalid_argument`. */
function checked<T>(rules: z.ZodType<T>, given: unknown): T {
  const parsed = rules.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [field, index] = issue?.path ?? [];
  const place = typeof index === 'number' ? `${String(field)} ${index + 1}` : String(field);
  throw new SextantError('invalid_argument', `${place} ${issue?.message}`);
}
