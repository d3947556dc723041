import { CommittedReads, isAhead } from '@sextant/contracts';
import type { Database, Directory } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { hashOf } from './secret.ts';
import type { AccessToken, TokenStore } from './token-store.ts';
import type { LastUses } from './last-uses.ts';

const cachedTokens = 10_000;

export interface TokenCheckOptions {
  store: TokenStore;
  directory: Directory;
  uses: LastUses;
  /** The one that holds the tokens. */
  database: Pick<Database, 'version'>;
}

/**
 * Who a token stands for. Found by the hash of what was shown, so that comparing takes no longer for a token that is
 * nearly right; remembered until anything in the database changes, so that a revocation holds for the next call.
 */
export class TokenCheck {
  readonly #store: TokenStore;
  readonly #directory: Directory;
  readonly #uses: LastUses;
  readonly #database: Pick<Database, 'version'>;
  readonly #tokens: CommittedReads<string, AccessToken>;

  constructor({ store, directory, uses, database }: TokenCheckOptions) {
    this.#database = database;
    this.#store = store;
    this.#directory = directory;
    this.#uses = uses;
    this.#tokens = new CommittedReads({ database, max: cachedTokens });
  }

  /** The caller, or undefined for a token that is unknown, expired or revoked, or whose user is disabled. */
  async callerOf(secret: string): Promise<Caller | undefined> {
    const asOf = await this.#database.version();
    const token = await this.#tokens.read(hashOf(secret), (hash) => this.#store.findByHash(hash), asOf);
    const now = Date.now();
    if (!token || token.hasEnded) return undefined;
    const { id, userId, scopes, expiresAt, createdAt } = token;
    if (expiresAt !== undefined && isAhead(createdAt, now)) return undefined;
    if (expiresAt !== undefined && expiresAt <= now) {
      await this.#store.end(id);
      return undefined;
    }
    const caller = await this.#directory.callerFor({ userId, scopes, credential: `access-token:${id}`, asOf });
    if (caller) this.#uses.note(id, now);
    return caller;
  }
}
