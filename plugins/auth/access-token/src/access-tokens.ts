import { administratorName, userNamed } from '@sextant/contracts';
import type { Audit, Directory } from '@sextant/contracts';
import { SextantError, token } from '@sextant/core';
import type { Caller, Scope } from '@sextant/core';
import { expiryOf } from './expiry.ts';
import type { TokenCheck } from './token-check.ts';
import type { AccessToken, CreatedToken, TokenStore } from './token-store.ts';

export interface TokenRequest {
  user: string;
  scopes: readonly Scope[];
  name: string;
  /** `90d`, `12h`, or a date; absent: does not expire. */
  expires?: string | undefined;
}

/** A token as an operator sees it. */
export interface ListedToken extends AccessToken {
  /** Name of the user. */
  readonly user: string;
}

export interface AccessTokensOptions {
  store: TokenStore;
  directory: Directory;
  check: TokenCheck;
  audit: Audit | undefined;
}

/** Issues, lists and revokes access tokens, and tells who shows one. */
export class AccessTokens {
  readonly #store: TokenStore;
  readonly #directory: Directory;
  readonly #check: TokenCheck;
  readonly #audit: Audit | undefined;

  constructor({ store, directory, check, audit }: AccessTokensOptions) {
    this.#audit = audit;
    this.#store = store;
    this.#directory = directory;
    this.#check = check;
  }

  /** Throws `not_found` for an unknown user, `conflict` for a disabled one, `invalid_argument` for a bad expiry. */
  async create({ user: name, scopes, name: label, expires }: TokenRequest): Promise<ListedToken & CreatedToken> {
    const user = await userNamed(this.#directory, name);
    if (user.isDisabled)
      throw new SextantError(
        'conflict',
        `${user.name} is disabled; a token would not work. user enable ${user.name} comes first`,
      );
    const expiresAt = expires === undefined ? {} : { expiresAt: expiryOf(expires, Date.now()) };
    const created = await this.#store.create({
      userId: user.id,
      name: label,
      scopes: [...new Set(scopes)],
      ...expiresAt,
    });
    this.#record('token.created', created.id, `of ${user.name} (${created.scopes.join(' ')})`);
    return { ...created, user: user.name };
  }

  /** The secret of the administrator's token of the very first start; undefined on every later one. */
  async createFirst(): Promise<string | undefined> {
    const admin = await this.#directory.find(administratorName);
    if (!admin || admin.isDisabled) return undefined;
    return (await this.#store.createFirst({ userId: admin.id, name: 'first start', scopes: ['all'] }))?.secret;
  }

  /** Of one user, or all; oldest first. Throws `not_found` for an unknown user. */
  async list(name?: string): Promise<ListedToken[]> {
    const users = new Map((await this.#directory.list()).map((user) => [user.id, user.name]));
    const tokens = await this.#store.list(name === undefined ? undefined : (await userNamed(this.#directory, name)).id);
    return tokens.map((listed) => ({ ...listed, user: users.get(listed.userId) ?? `user ${listed.userId}` }));
  }

  /** Throws `not_found`. */
  async revoke(id: number): Promise<void> {
    await this.#store.revoke(id);
    this.#record('token.revoked', id, 'by the operator');
  }

  /** The caller who shows this token; undefined unless it is good and the user enabled. */
  callerOf(secret: string): Promise<Caller | undefined> {
    return this.#check.callerOf(secret);
  }

  #record(action: string, id: number, detail: string): void {
    this.#audit?.record({ action, outcome: 'success', target: `token ${id}`, detail });
  }
}

/** Used inside this plugin only. */
export const accessTokens = token<AccessTokens>('access-token-administration');
