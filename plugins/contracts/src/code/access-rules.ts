import { token } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { isGranted } from './repository-access.ts';
import type { RepositoryAccess } from './repository-access.ts';

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

/** The same for a repository of the configuration. */
export function byConfiguration(
  caller: Caller,
  access: RepositoryAccess | undefined,
): { canRead: boolean; why: string } {
  if (caller.user.isSiteAdmin) return { canRead: true, why: 'site administrators read every repository' };
  if (!access) return { canRead: true, why: 'it has no "access" in the configuration: every signed-in user reads it' };
  const canRead = isGranted(caller, access);
  const names = canRead ? 'names' : 'does not name';
  return { canRead, why: `its "access" in the configuration ${names} them or a role that they have` };
}
