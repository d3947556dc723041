import { token } from '@sextant/core';

/** Someone, as a provider names them for ever. */
export interface SignInIdentity {
  readonly issuer: string;
  readonly subject: string;
}

/** Who users are elsewhere, proven when they signed in. */
export interface Identities {
  /** Empty for a user who never signed in through a provider. */
  of(userId: number): Promise<readonly SignInIdentity[]>;
}

export const Identities = token<Identities>('identities', { isForServices: true });
