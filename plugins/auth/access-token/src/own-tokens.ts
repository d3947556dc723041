import type { AccessTokenInfo, AccessTokenRequest, AccessTokens, Audit } from '@sextant/contracts';
import { SextantError, hasPermission, requireScope, siteAdministration } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { expiryOf } from './expiry.ts';
import type { AccessToken, TokenStore } from './token-store.ts';

const maxTokens = 100;
const maxNameLength = 100;

/** What people do with their own tokens, without a terminal. */
export class OwnTokens implements AccessTokens {
  readonly #store: TokenStore;
  readonly #audit: Audit | undefined;

  constructor(store: TokenStore, audit: Audit | undefined) {
    this.#store = store;
    this.#audit = audit;
  }

  async create(
    caller: Caller,
    { name, scopes, expires }: AccessTokenRequest,
  ): Promise<AccessTokenInfo & { secret: string }> {
    requireScope(caller, 'all');
    requireName(name);
    if (scopes.length === 0) throw new SextantError('invalid_argument', 'choose at least one scope for the token');
    if ((await this.#store.list(caller.user.id)).length >= maxTokens)
      throw new SextantError('conflict', `you have ${maxTokens} tokens, the most that one may have; revoke one first`);
    const created = await this.#store.create({
      userId: caller.user.id,
      name,
      scopes: [...new Set(scopes)],
      ...(expires !== undefined && { expiresAt: expiryOf(expires, Date.now()) }),
    });
    this.#record('token.created', caller, created);
    return { ...toInfo(created), secret: created.secret };
  }

  async list(caller: Caller, ofUser = caller.user.id): Promise<AccessTokenInfo[]> {
    requireRight(caller, ofUser);
    return (await this.#store.list(ofUser)).map(toInfo);
  }

  async listAll(caller: Caller): Promise<(AccessTokenInfo & { userId: number })[]> {
    requireScope(caller, 'all');
    requireAdministration(caller);
    return (await this.#store.list()).map((token) => ({ ...toInfo(token), userId: token.userId }));
  }

  async revoke(caller: Caller, id: number, ofUser = caller.user.id): Promise<void> {
    requireRight(caller, ofUser);
    const found = (await this.#store.list(ofUser)).find((each) => each.id === id);
    if (!found)
      throw new SextantError('not_found', `${ofUser === caller.user.id ? 'you have' : 'the user has'} no token ${id}`);
    await this.#store.revoke(id);
    this.#record('token.revoked', caller, found);
  }

  #record(action: string, { user }: Caller, { id, name, scopes }: AccessToken): void {
    const actor = { id: user.id, name: user.name };
    this.#audit?.record({
      action,
      outcome: 'success',
      actor,
      target: `token ${id}`,
      detail: `${name} (${scopes.join(' ')})`,
    });
  }
}

/** Whoever ends the tokens of others could lock them out. */
function requireRight(caller: Caller, ofUser: number): void {
  requireScope(caller, 'all');
  if (ofUser !== caller.user.id) requireAdministration(caller);
}

function requireAdministration(caller: Caller): void {
  if (!hasPermission(caller, siteAdministration)) throw new SextantError('forbidden', 'forbidden');
}

function requireName(name: string): void {
  if (name.length > maxNameLength || /\p{C}/u.test(name))
    throw new SextantError(
      'invalid_argument',
      `the name of a token has at most ${maxNameLength} characters and no control characters`,
    );
}

const toInfo = ({ id, name, scopes, createdAt, expiresAt, lastUsedAt }: AccessToken): AccessTokenInfo => ({
  id,
  name,
  scopes,
  created: new Date(createdAt).toISOString(),
  ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
  ...(lastUsedAt !== undefined && { lastUsed: new Date(lastUsedAt).toISOString() }),
});
