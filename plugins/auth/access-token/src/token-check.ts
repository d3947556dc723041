import type { Database, Directory } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { hashOf } from './secret.ts';
import type { AccessToken, TokenStore } from './token-store.ts';
import type { LastUses } from './last-uses.ts';

const cachedTokens = 100_000;

export interface TokenCheckOptions {
  store: TokenStore;
  directory: Directory;
  uses: LastUses;
  /** Of the database that holds the tokens. */
  version: Database['version'];
}

/**
 * Who a token stands for. Found by the hash of what was shown, so that comparing takes no longer for a token that is
 * nearly right; remembered until anything in the database changes, so that a revocation holds for the next call.
 */
export class TokenCheck {
  readonly #options: TokenCheckOptions;
  readonly #tokens = new LRUCache<string, { token: AccessToken | undefined }>({ max: cachedTokens });
  #cachedVersion: number | undefined;

  constructor(options: TokenCheckOptions) {
    this.#options = options;
  }

  /** The caller, or undefined for a token that is unknown, expired or revoked, or whose user is disabled. */
  async callerOf(secret: string): Promise<Caller | undefined> {
    const token = await this.#find(hashOf(secret));
    const now = Date.now();
    if (!token || (token.expiresAt !== undefined && token.expiresAt <= now)) return undefined;
    const { directory, uses } = this.#options;
    const caller = await directory.callerFor({ userId: token.userId, scopes: token.scopes, credential: `access-token:${token.id}` });
    if (caller) uses.note(token, now);
    return caller;
  }

  async #find(hash: string): Promise<AccessToken | undefined> {
    const { store, version } = this.#options;
    const before = version();
    if (before === undefined || before !== this.#cachedVersion) this.#tokens.clear();
    this.#cachedVersion = before;
    const known = this.#tokens.get(hash);
    if (known) return known.token;
    const token = await store.findByHash(hash);
    // What was read while something changed may be old already.
    if (before !== undefined && before === version()) this.#tokens.set(hash, { token });
    return token;
  }
}
