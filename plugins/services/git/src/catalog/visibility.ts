import type { Caller } from '@sextant/core';
import type { Access } from '../config.ts';

/** Whether a caller may read a repository: the one place where that is decided. */
export function canRead({ user, roles }: Caller, access: Access | undefined): boolean {
  if (access === undefined || user.isSiteAdmin) return true;
  return (
    access.users.some((name) => name.toLowerCase() === user.name.toLowerCase()) ||
    access.roles.some((role) => roles.has(role))
  );
}
