import type { Caller } from '@sextant/core';
import { z } from 'zod';

/** What the configuration says of who may read a repository. */
export const repositoryAccess = z
  .strictObject({
    roles: z.array(z.string().min(1)).default([]).describe('Roles whose members may read it'),
    users: z.array(z.string().min(1)).default([]).describe('Names of users who may read it'),
  })
  .describe('Who may read it besides site administrators; absent: every signed-in user');

export type RepositoryAccess = z.output<typeof repositoryAccess>;

/** Whether a caller may read a repository by what the configuration says of it. */
export function isGranted({ user, roles }: Caller, access: RepositoryAccess | undefined): boolean {
  if (access === undefined || user.isSiteAdmin) return true;
  return (
    access.users.some((name) => name.toLowerCase() === user.name.toLowerCase()) ||
    access.roles.some((role) => roles.has(role))
  );
}
