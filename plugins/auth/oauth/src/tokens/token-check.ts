import { CommittedReads, isAhead } from '@sextant/contracts';
import type { Database, Directory } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { z } from 'zod';
import { hashOf } from './artifact-keys.ts';
import type { ArtifactStore } from './artifact-store.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { Resources } from '../protocol/resources.ts';

const cachedTokens = 10_000;

const stored = z.object({
  accountId: z.coerce.number(),
  grantId: z.string(),
  aud: z.string(),
  scope: z.string(),
  /** Seconds since 1970. */
  iat: z.number(),
});

interface AccessToken extends z.output<typeof stored> {
  readonly expiresAt: number;
}

export interface TokenCheckOptions {
  artifacts: ArtifactStore;
  clients: ClientStore;
  directory: Directory;
  database: Pick<Database, 'version'>;
  resources: Resources;
}

/**
 * Who an access token of ours stands for. Not asked of the protocol's library: that would take milliseconds. Remembered
 * until anything in the database changes, so that a revocation holds for the next call.
 */
export class TokenCheck {
  readonly #options: TokenCheckOptions;
  readonly #tokens: CommittedReads<string, AccessToken>;

  constructor(options: TokenCheckOptions) {
    this.#options = options;
    this.#tokens = new CommittedReads({ database: options.database, max: cachedTokens });
  }

  /**
   * The caller, or undefined for a token that is unknown, expired or revoked, or of a client or user that is out. Throws
   * `unauthenticated` for a good token that is for another MCP endpoint.
   */
  async callerOf(secret: string, resource?: string): Promise<Caller | undefined> {
    const { artifacts, database, directory, resources } = this.#options;
    const asOf = await database.version();
    const token = await this.#tokens.read(hashOf(secret), (id) => this.#load(id), asOf);
    const now = Date.now();
    if (!token || isAhead(token.iat * 1000, now)) return undefined;
    if (token.expiresAt > 0 && token.expiresAt <= now) await artifacts.expire('AccessToken', hashOf(secret));
    if (token.expiresAt <= now) return undefined;
    const caller = await directory.callerFor({
      userId: token.accountId,
      scopes: token.scope.split(' '),
      credential: `oauth:${token.grantId}`,
      asOf,
    });
    if (!caller || resource === undefined) return caller;
    if (!resources.isEndpoint(resource)) return undefined;
    if (token.aud === resource || token.aud === resources.everywhere) return caller;
    throw new SextantError(
      'unauthenticated',
      `this token is for ${token.aud}; ask for one with resource=${resource}, or without resource for all MCP endpoints`,
    );
  }

  async #load(id: string): Promise<AccessToken | undefined> {
    const { artifacts, clients } = this.#options;
    const token = await artifacts.findToken(id);
    if (!token || token.expires_at === null || token.client_id === null) return undefined;
    if (!(await clients.isActive(token.client_id))) return undefined;
    return { ...stored.parse(JSON.parse(token.payload)), expiresAt: token.expires_at };
  }
}

/** The token in an `Authorization` header, under either scheme (in any case); undefined for anything else. */
export const secretIn = (headers: Headers): string | undefined =>
  /^(?:bearer|token) +([\w-]{43})$/i.exec(headers.get('authorization') ?? '')?.[1];
