import { token } from '@sextant/core';
import type { Caller, Scope } from '@sextant/core';

/** An access token as its owner sees it, without its secret. */
export interface AccessTokenInfo {
  readonly id: number;
  /** What its owner uses it for. */
  readonly name: string;
  readonly scopes: readonly string[];
  /** RFC 3339 in UTC, as all times here. */
  readonly created: string;
  /** Absent: it does not expire. */
  readonly expires?: string;
  /** Exact to the minute; absent while it was not used. */
  readonly lastUsed?: string;
}

export interface AccessTokenRequest {
  /** 0–100 characters without control characters. */
  name: string;
  /** At least one. */
  scopes: readonly Scope[];
  /** `90d`, `12h`, or a date; absent: does not expire. */
  expires?: string;
}

/**
 * The access tokens of the caller. Site administrators see and end those of others, too; whoever else asks is refused
 * with `forbidden`. Each throws `insufficient_scope` without `all`.
 */
export interface AccessTokens {
  /** The secret is shown only here. Throws `invalid_argument`, and `conflict` when the caller has 100 tokens. */
  create(caller: Caller, request: AccessTokenRequest): Promise<AccessTokenInfo & { readonly secret: string }>;
  /** Those of the caller, or of the user with an id; oldest first. */
  list(caller: Caller, ofUser?: number): Promise<AccessTokenInfo[]>;
  /** Those of all users, oldest first; for site administrators. */
  listAll(caller: Caller): Promise<(AccessTokenInfo & { readonly userId: number })[]>;
  /** At once. Throws `not_found` for what is not the caller's, or that user's, too. */
  revoke(caller: Caller, id: number, ofUser?: number): Promise<void>;
}

export const AccessTokens = token<AccessTokens>('access-tokens');
