import { defineCommand, scopes } from '@sextant/core';
import type { Command } from '@sextant/core';
import { z } from 'zod';
import { AccessTokensToken } from './access-tokens.ts';

const needs = { tokens: AccessTokensToken };

const tokenCreate = defineCommand({
  name: 'token create',
  summary: 'create an access token and print it, once',
  input: z.object({
    user: z.string().describe('User whose permissions the token has'),
    scope: z.array(z.enum(scopes)).default(['all']).describe(`What it is for: ${scopes.join(', ')}; repeatable`),
    name: z.string().max(100).default('').describe('What it is used for'),
    expires: z.string().describe('After 90d, 12h, 2w, or on a date such as 2027-01-31; default: never').optional(),
  }),
  needs,
  output: z.object({ token: z.string() }),
  run: async ({ user, scope, name, expires }, { tokens }) => ({ token: await tokens.create({ user, scopes: scope, name, expires }) }),
  toText: ({ token }) => token,
});

const listed = z.object({
  id: z.int(),
  user: z.string(),
  name: z.string(),
  scopes: z.array(z.string()),
  created: z.string(),
  expires: z.string().optional(),
  lastUsed: z.string().optional(),
});

const tokenList = defineCommand({
  name: 'token list',
  summary: 'list access tokens, without their secrets',
  input: z.object({ user: z.string().describe('Only tokens of this user').optional() }),
  needs,
  output: z.object({ tokens: z.array(listed) }),
  run: async ({ user }, { tokens }) => ({
    tokens: (await tokens.list(user)).map(({ id, user: owner, name, scopes: granted, createdAt, expiresAt, lastUsedAt }) => ({
      id,
      user: owner,
      name,
      scopes: [...granted],
      created: new Date(createdAt).toISOString(),
      ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
      ...(lastUsedAt !== undefined && { lastUsed: new Date(lastUsedAt).toISOString() }),
    })),
  }),
  toText: ({ tokens }) => tokens.map(toLine).join('\n') || 'no tokens',
});

const tokenRevoke = defineCommand({
  name: 'token revoke',
  summary: 'end an access token, at once',
  input: z.object({ id: z.coerce.number().int().min(1).describe('Number of the token, as token list shows it') }),
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

function toLine({ id, user, name, scopes: granted, created, expires, lastUsed }: z.output<typeof listed>): string {
  const parts = [
    `${id}  ${user}${name && `  "${name}"`}`,
    granted.join(' '),
    `created ${day(created)}`,
    expires === undefined ? 'does not expire' : `expires ${day(expires)}`,
    lastUsed === undefined ? 'never used' : `last used ${day(lastUsed)}`,
  ];
  return parts.join('  ');
}

const day = (time: string): string => time.slice(0, 10);
