import { defineCommand, scopes, textTable } from '@sextant/core';
import type { Command } from '@sextant/core';
import { z } from 'zod';
import { accessTokens } from './access-tokens.ts';
import type { ListedToken } from './access-tokens.ts';

const needs = { tokens: accessTokens };

const listed = z.object({
  id: z.int(),
  user: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  created: z.string(),
  expires: z.string().optional(),
  lastUsed: z.string().optional(),
});

const tokenCreate = defineCommand({
  name: 'token create',
  summary: 'create an access token and print it, once',
  input: z.object({
    user: z.string().describe('User whose permissions the token has'),
    scope: z
      .array(z.enum(scopes))
      .default(['all'])
      .describe(`What it is for: ${scopes.join(', ')}; repeatable`),
    name: z
      .string()
      .max(100)
      .regex(/^\P{C}*$/u, 'must not contain control characters')
      .default('')
      .describe('What it is used for'),
    expires: z.string().describe('After 90d, 12h, 2w, or on a date such as 2027-01-31; default: never').optional(),
  }),
  needs,
  output: z.object({ token: z.string(), ...listed.omit({ lastUsed: true }).shape }),
  run: async ({ user, scope, name, expires }, { tokens }) => {
    const issued = await tokens.create({ user, scopes: scope, name, expires });
    return { token: issued.secret, ...toOutput(issued) };
  },
  toText: ({ token }) => token,
});

const tokenList = defineCommand({
  name: 'token list',
  summary: 'list access tokens, without their secrets',
  input: z.object({ user: z.string().describe('Only tokens of this user').optional() }),
  needs,
  output: z.object({ tokens: z.array(listed) }),
  run: async ({ user }, { tokens }) => ({ tokens: (await tokens.list(user)).map(toOutput) }),
  toText: ({ tokens }) =>
    textTable([['ID', 'USER', 'NAME', 'SCOPES', 'CREATED', 'EXPIRES', 'LAST USED'], ...tokens.map(toCells)]),
});

const tokenRevoke = defineCommand({
  name: 'token revoke',
  summary: 'end an access token, at once',
  input: z.object({ id: z.int().min(1).describe('Number of the token, as token list shows it') }),
  positionals: ['id'],
  needs,
  output: z.object({ revoked: z.int() }),
  run: async ({ id }, { tokens }) => {
    await tokens.revoke(id);
    return { revoked: id };
  },
  toText: ({ revoked }) => `token ${revoked} no longer works`,
});

export const commands: readonly Command[] = [tokenCreate, tokenList, tokenRevoke];

const toOutput = ({
  id,
  user,
  name,
  scopes: granted,
  createdAt,
  expiresAt,
  lastUsedAt,
}: ListedToken): z.input<typeof listed> => ({
  id,
  user,
  name,
  scopes: [...granted],
  created: new Date(createdAt).toISOString(),
  ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
  ...(lastUsedAt !== undefined && { lastUsed: new Date(lastUsedAt).toISOString() }),
});

function toCells({ id, user, name, scopes: granted, created, expires, lastUsed }: z.output<typeof listed>): string[] {
  return [String(id), user, name, granted.join(' '), minute(created), minute(expires), minute(lastUsed)];
}

/** `2027-01-31 23:59`, in UTC; never is told as such. */
const minute = (time = 'never'): string => time.slice(0, 16).replace('T', ' ');
