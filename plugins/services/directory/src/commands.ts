import { Directory } from '@sextant/contracts';
import type { DirectoryUser } from '@sextant/contracts';
import { defineCommand, textTable } from '@sextant/core';
import type { Command } from '@sextant/core';
import { z } from 'zod';
import { email, userName } from './config.ts';

const needs = { directory: Directory };

const user = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string().optional(),
  isServiceAccount: z.boolean(),
  isSiteAdmin: z.boolean(),
  isDisabled: z.boolean(),
  roles: z.array(z.string()),
  managedBy: z.enum(['config', 'database']),
});

const existing = z.object({ name: z.string().describe('Name of the user') });

const userAdd = defineCommand({
  name: 'user add',
  summary: 'add a user or service account',
  input: z.object({
    name: userName,
    email: email.optional(),
    serviceAccount: z.boolean().default(false).describe('A program, not a person'),
    siteAdmin: z.boolean().default(false).describe('Holds every permission and reads every repository'),
    role: z.array(z.string()).default([]).describe('Custom role; repeatable'),
  }),
  positionals: ['name'],
  needs,
  output: user,
  run: async ({ name, email: address, serviceAccount, siteAdmin, role }, { directory }) =>
    toOutput(
      await directory.add({
        name,
        ...(address !== undefined && { email: address }),
        isServiceAccount: serviceAccount,
        isSiteAdmin: siteAdmin,
        roles: role,
      }),
    ),
  toText: ({ id, name }) => `added ${name} as user ${id}; a token for it: token create --user ${name}`,
});

const userList = defineCommand({
  name: 'user list',
  summary: 'list all users',
  input: z.object({}),
  needs,
  output: z.object({ users: z.array(user) }),
  run: async (_input, { directory }) => ({ users: (await directory.list()).map(toOutput) }),
  toText: ({ users }) =>
    textTable([['ID', 'NAME', 'E-MAIL', 'KIND', 'ROLES', 'STATE', 'MANAGED BY'], ...users.map(toCells)]),
});

const userDisable = defineCommand({
  name: 'user disable',
  summary: 'end what a user may do, at once',
  input: existing,
  positionals: ['name'],
  needs,
  output: user,
  run: async ({ name }, { directory }) => toOutput(await directory.setDisabled(name, true)),
  toText: ({ name }) => `${name} is disabled; its tokens no longer work`,
});

const userEnable = defineCommand({
  name: 'user enable',
  summary: 'let a disabled user in again',
  input: existing,
  positionals: ['name'],
  needs,
  output: user,
  run: async ({ name }, { directory }) => toOutput(await directory.setDisabled(name, false)),
  toText: ({ name }) => `${name} is enabled; its tokens work again`,
});

const userRoles = defineCommand({
  name: 'user roles',
  summary: 'give a user exactly these custom roles',
  input: existing.extend({ role: z.array(z.string()).default([]).describe('Custom role; repeatable. None: no role') }),
  positionals: ['name'],
  needs,
  output: user,
  run: async ({ name, role }, { directory }) => toOutput(await directory.setRoles(name, role)),
  toText: ({ name, roles }) => `${name} has ${roles.length === 0 ? 'no custom role' : roles.join(', ')}`,
});

export const commands: readonly Command[] = [userAdd, userList, userDisable, userEnable, userRoles];

const toOutput = ({ roles, ...rest }: DirectoryUser): z.input<typeof user> => ({ ...rest, roles: [...roles] });

function toCells({
  id,
  name,
  email: address,
  isServiceAccount,
  isSiteAdmin,
  roles,
  isDisabled,
  managedBy,
}: z.output<typeof user>): string[] {
  const kind = [isServiceAccount ? 'service account' : 'user', ...(isSiteAdmin ? ['site admin'] : [])].join(', ');
  return [String(id), name, address ?? '', kind, roles.join(', '), isDisabled ? 'disabled' : 'enabled', managedBy];
}
