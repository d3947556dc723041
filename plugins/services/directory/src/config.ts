import { builtInRoles } from '@sextant/core';
import { z } from 'zod';

const name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be 1–100 letters, digits, ".", "_" or "-", and begin with a letter or digit');

const permission = z.string().regex(/^[A-Z][A-Z0-9_]*#[A-Z][A-Z0-9_]*$/, 'must be NAMESPACE#ACTION, such as MCP#ACCESS');

/** A name for a new user; the rule of the configuration and of the command line alike. */
export const userName = name.describe('Name, unique whatever the case');
export const email = z.email('must be an e-mail address').max(254);

const user = z.strictObject({
  name: userName,
  email: email.optional(),
  roles: z.array(z.string().min(1).max(100)).default([]).describe('Custom roles'),
  serviceAccount: z.boolean().default(false).describe('A program, not a person'),
  siteAdmin: z.boolean().default(false).describe('Holds every permission and reads every repository'),
});

const role = z.strictObject({ permissions: z.array(permission).describe('Rights, as NAMESPACE#ACTION') });

export const config = z.strictObject({
  users: z.array(user).default([]).describe('Users kept as they are here'),
  roles: z
    .record(z.string().min(1).max(100), role)
    .default({})
    .describe(`Custom roles, and new permissions of "${builtInRoles.user}" and "${builtInRoles.serviceAccount}"`),
});

export type DirectoryConfig = z.output<typeof config>;
export type ConfiguredUser = z.output<typeof user>;
