import { z } from 'zod';

/** What a provider says of a person. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly claims: Claims;
  /** An address that the provider has verified. */
  readonly email?: string;
}

export type Claims = Readonly<Record<string, unknown>>;

/**
 * One plain address, as users here have them: a list, a name beside it or quotes would be read differently by whoever looks
 * for the domain, and letters outside ASCII become others when they are written small.
 */
export const plainAddress = z.email().max(254);
