import { token } from '@sextant/core';
import type { AuditEvent } from './audit.ts';

/** Links that sign a person in once, for those who have no password yet, or forgot it. */
export interface SignInLinks {
  /**
   * A link for a user, good once and for so many minutes. Whoever may give one away can act as that user. Throws
   * `not_found`, and `conflict` for service accounts and disabled users.
   */
  make(name: string, minutes: number, by?: Pick<AuditEvent, 'actor' | 'address'>): Promise<string>;
}

export const SignInLinks = token<SignInLinks>('sign-in-links');
