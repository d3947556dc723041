import { SextantError, didYouMean } from '@sextant/core';
import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import type { ClientMetadata } from 'oidc-provider';
import { z } from 'zod';
import { hashOf } from './artifact-keys.ts';
import type { ArtifactStore } from './artifact-store.ts';
import type { NamedClient } from './config.ts';
import type { OAuthTables } from './tables.ts';

/** How many clients may have registered themselves; the oldest that nobody uses goes first. */
const mostRegistered = 10_000;

const codeGrants = ['authorization_code', 'refresh_token'];
export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** A client as an operator sees it. */
export interface ListedClient {
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly isConfidential: boolean;
  readonly managedBy: 'config' | 'operator' | 'registered';
}

export interface ClientStoreOptions {
  db: Kysely<OAuthTables>;
  artifacts: ArtifactStore;
  /** Those of the configuration file. */
  configured: readonly NamedClient[];
  /** Whether clients that registered themselves are let in. */
  isRegistrationEnabled: boolean;
}

const metadata = z.looseObject({
  client_id: z.string(),
  client_name: z.string().optional(),
  client_secret: z.string().optional(),
  redirect_uris: z.array(z.string()).optional(),
});

/** The OAuth clients: of the configuration, of the operator, and those that registered themselves. */
export class ClientStore {
  readonly #options: ClientStoreOptions;
  readonly #configured: ReadonlyMap<string, ClientMetadata>;

  constructor(options: ClientStoreOptions) {
    this.#options = options;
    this.#configured = new Map(options.configured.map((client) => [client.clientId, metadataOf(client)]));
  }

  /** Its metadata with the secret hashed; undefined for one that is unknown, or registered itself where that is off. */
  async find(clientId: string): Promise<ClientMetadata | undefined> {
    const configured = this.#configured.get(clientId);
    if (configured) return configured;
    const row = await this.#options.db
      .selectFrom('oauth_client')
      .select(['metadata', 'origin'])
      .where('id', '=', clientId)
      .executeTakeFirst();
    if (!row || (row.origin === 'registered' && !this.#options.isRegistrationEnabled)) return undefined;
    return metadata.parse(JSON.parse(row.metadata));
  }

  /** Whether tokens of the client are good; `origin` as the database has it. One that is named by a URL (client-id metadata document) is in no table. */
  isActive(clientId: string, origin: 'operator' | 'registered' | null): boolean {
    if (this.#configured.has(clientId) || origin === 'operator') return true;
    return this.#options.isRegistrationEnabled && (origin === 'registered' || URL.canParse(clientId));
  }

  /** Whether nobody but the client itself says who it is. */
  async isSelfRegistered(clientId: string): Promise<boolean> {
    if (this.#configured.has(clientId)) return false;
    const { db } = this.#options;
    const row = await db.selectFrom('oauth_client').select('origin').where('id', '=', clientId).executeTakeFirst();
    return row?.origin !== 'operator';
  }

  /** Keeps a client that registered itself. */
  async register(client: ClientMetadata): Promise<void> {
    await this.#insert(client, 'registered');
    await this.dropSuperfluous(mostRegistered);
  }

  /** Leaves at most so many clients that registered themselves; those that nobody uses go first, the oldest of them before others. */
  async dropSuperfluous(max: number): Promise<void> {
    const { db, artifacts } = this.#options;
    const { count } = await db
      .selectFrom('oauth_client')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('origin', '=', 'registered')
      .executeTakeFirstOrThrow();
    if (count <= max) return;
    const superfluous = await db
      .selectFrom('oauth_client')
      .select('id')
      .where('origin', '=', 'registered')
      .orderBy(sql`last_used_at is not null`)
      .orderBy('last_used_at')
      .orderBy('created_at')
      .limit(count - max)
      .execute();
    const ids = superfluous.map(({ id }) => id);
    await db.deleteFrom('oauth_client').where('id', 'in', ids).execute();
    await artifacts.removeClients(ids);
  }

  async noteUse(clientId: string): Promise<void> {
    const { db } = this.#options;
    await db.updateTable('oauth_client').set({ last_used_at: Date.now() }).where('id', '=', clientId).execute();
  }

  /** Throws `conflict` for an id that is taken. */
  async add(client: NamedClient): Promise<void> {
    if (await this.find(client.clientId))
      throw new SextantError('conflict', `there is a client ${client.clientId} already; oauth client list shows all`);
    await this.#insert(metadataOf(client), 'operator');
  }

  /** All that an operator named; clients that registered themselves too, if asked. */
  async list(withRegistered: boolean): Promise<ListedClient[]> {
    const rows = await this.#options.db.selectFrom('oauth_client').selectAll().orderBy('id').execute();
    const stored = rows
      .filter(({ origin }) => withRegistered || origin === 'operator')
      .map((row) => toListed(metadata.parse(JSON.parse(row.metadata)), row.origin));
    return [...[...this.#configured.values()].map((client) => toListed(client, 'config')), ...stored];
  }

  /** Removes a client and ends all it was granted. Throws `not_found`, and `conflict` for one of the configuration. */
  async remove(clientId: string): Promise<void> {
    if (this.#configured.has(clientId))
      throw new SextantError('conflict', `${clientId} is kept as the configuration says; remove it from there`);
    const { db, artifacts } = this.#options;
    const { numDeletedRows } = await db.deleteFrom('oauth_client').where('id', '=', clientId).executeTakeFirst();
    if (numDeletedRows === 0n) {
      const known = (await this.list(true)).map((client) => client.clientId);
      throw new SextantError('not_found', `there is no client "${clientId}".${didYouMean(clientId, known)}`);
    }
    await artifacts.removeClients([clientId]);
  }

  async #insert(client: ClientMetadata, origin: 'operator' | 'registered'): Promise<void> {
    await this.#options.db
      .insertInto('oauth_client')
      .values({
        id: client.client_id,
        metadata: JSON.stringify(client),
        origin,
        created_at: Date.now(),
        last_used_at: null,
      })
      .execute();
  }
}

/** What the protocol calls a client of the operator; its secret is kept as a hash here as well. */
const metadataOf = ({ clientId, name, redirectUris, secret }: NamedClient): ClientMetadata => ({
  client_id: clientId,
  client_name: name,
  redirect_uris: redirectUris,
  response_types: redirectUris.length > 0 ? ['code'] : [],
  grant_types: [...(redirectUris.length > 0 ? codeGrants : ['refresh_token']), deviceGrant],
  ...(secret === undefined
    ? { token_endpoint_auth_method: 'none' as const }
    : { token_endpoint_auth_method: 'client_secret_basic' as const, client_secret: hashOf(secret) }),
});

const toListed = (client: ClientMetadata, managedBy: ListedClient['managedBy']): ListedClient => ({
  clientId: client.client_id,
  name: client.client_name ?? client.client_id,
  redirectUris: client.redirect_uris ?? [],
  isConfidential: client.client_secret !== undefined,
  managedBy,
});
