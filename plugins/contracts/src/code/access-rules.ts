import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';

export interface AccessExplanation {
  /** The full name of the repository. */
  readonly repository: string;
  readonly canRead: boolean;
  readonly why: string;
}

/** Why a user may read a repository or not, for those who run the server: it tells of repositories that the user may not see. */
export interface AccessRules {
  /** Throws `not_found` for a repository that is not served. */
  explain(caller: Caller, name: string): Promise<AccessExplanation>;
}

export const AccessRules = token<AccessRules>('access-rules');
