import { administratorName } from '@sextant/contracts';
import { builtInRoles, didYouMean } from '@sextant/core';
import type { ConfigMistake } from '@sextant/core';
import { z } from 'zod';
import { Roles } from './roles.ts';

export const permission = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]*#[A-Z][A-Z0-9_]*$/, 'must be NAMESPACE#ACTION, such as MCP#ACCESS');

/** A name for a new user; the rule of the configuration and of the command line alike. */
export const userName = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'must be 1–100 letters, digits, ".", "_" or "-", and begin with a letter or digit',
  )
  .describe('Name, unique whatever the case');

export const email = z.email('must be an e-mail address').max(254).describe('E-mail address');

const user = z.strictObject({
  name: userName,
  email: email.optional(),
  roles: z.array(z.string().min(1).max(100)).default([]).describe('Custom roles'),
  serviceAccount: z.boolean().default(false).describe('A program, not a person'),
  siteAdmin: z.boolean().default(false).describe('Holds every permission and reads every repository'),
});

export const roleName = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => name !== builtInRoles.siteAdministrator, 'holds every permission and cannot be edited');

const role = z.strictObject({ permissions: z.array(permission).describe('Rights, as NAMESPACE#ACTION') });

export const config = z
  .object({
    users: z.array(user).default([]).describe('Users kept as they are here'),
    roles: z
      .record(roleName, role)
      .default({})
      .describe(`Custom roles, and new permissions of "${builtInRoles.user}" and "${builtInRoles.serviceAccount}"`),
  })
  .superRefine(({ users, roles }, context) => {
    for (const { path, message } of [
      ...repeatedNames(users),
      ...wrongRoles(users, new Roles(roles)),
      ...lostAdministrator(users),
    ])
      context.addIssue({ code: 'custom', path: ['users', ...path], message });
  });

export type DirectoryConfig = z.output<typeof config>;
export type ConfiguredUser = z.output<typeof user>;

interface Mistake {
  path: (string | number)[];
  message: string;
}

/** Permissions of roles that no plugin asks for: whoever holds one can do nothing with it. */
export const unknownPermissions = (roles: DirectoryConfig['roles'], known: readonly string[]): ConfigMistake[] =>
  Object.entries(roles).flatMap(([role, { permissions }]) =>
    permissions.flatMap((name, index) =>
      known.includes(name)
        ? []
        : [
            {
              path: ['roles', role, 'permissions', index],
              text: `no loaded plugin asks for "${name}".${didYouMean(name, known)} Known: ${known.join(', ')}`,
            },
          ],
    ),
  );

/** What makes two names the same. */
export const keyOf = (name: string): string => name.toLowerCase();

function repeatedNames(users: readonly ConfiguredUser[]): Mistake[] {
  const keys = users.map(({ name }) => keyOf(name));
  return keys.flatMap((key, index) =>
    keys.indexOf(key) === index ? [] : [{ path: [index, 'name'], message: 'must be unique whatever the case' }],
  );
}

const wrongRoles = (users: readonly ConfiguredUser[], known: Roles): Mistake[] =>
  users.flatMap(({ roles }, index) =>
    roles.flatMap((name, place) => {
      const problem = known.problemOf(name);
      return problem === undefined ? [] : [{ path: [index, 'roles', place], message: problem }];
    }),
  );

/** Naming `admin` here must not leave the server without anyone who may administrate it. */
function lostAdministrator(users: readonly ConfiguredUser[]): Mistake[] {
  const index = users.findIndex(({ name }) => keyOf(name) === administratorName);
  if (index < 0 || users.some(({ siteAdmin }) => siteAdmin)) return [];
  return [{ path: [index], message: `"${administratorName}" needs "siteAdmin: true" unless another user here has it` }];
}
