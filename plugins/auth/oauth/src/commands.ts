import type { OAuthClientInfo } from '@sextant/contracts';
import { defineCommand, textTable } from '@sextant/core';
import type { Command } from '@sextant/core';
import { z } from 'zod';
import { rotateKeys } from './tokens/server-keys.ts';
import { authorizationServer } from './server.ts';

const needs = { server: authorizationServer };
const mostListed = 20_000;
const listed = z.object({
  clientId: z.string(),
  name: z.string(),
  redirectUris: z.array(z.string()),
  isConfidential: z.boolean(),
  managedBy: z.enum(['config', 'operator', 'registered']),
});

const clientAdd = defineCommand({
  name: 'oauth client add',
  summary: 'name an OAuth client, so that it need not register itself',
  input: z.object({
    id: z.string().describe('What the client calls itself in requests'),
    name: z.string().describe('Shown to people who are asked for consent').optional(),
    redirectUri: z.array(z.string()).default([]).describe('Where codes may be sent; repeatable'),
    confidential: z.boolean().default(false).describe('Asks for a secret, which makes the client confidential'),
  }),
  positionals: ['id'],
  needs,
  output: listed.pick({ clientId: true }),
  run: async ({ id, name, redirectUri, confidential }, { server }, { readSecret }) => {
    const secret = confidential ? { secret: await readSecret('Secret of the client: ') } : {};
    const given = { clientId: id, name: name ?? id, redirectUris: redirectUri, ...secret };
    await server.parts.administration.add(given);
    return { clientId: id };
  },
  toText: ({ clientId }) => `client ${clientId} may connect`,
});

const clientList = defineCommand({
  name: 'oauth client list',
  summary: 'list OAuth clients, without their secrets',
  input: z.object({ all: z.boolean().default(false).describe('Also those that registered themselves') }),
  needs,
  output: z.object({ clients: z.array(listed) }),
  run: async ({ all }, { server }) => {
    const every = { offset: 0, limit: mostListed };
    const named = await server.parts.clients.list({ ...every, isRegistered: false });
    const registered = all ? await server.parts.clients.list({ ...every, isRegistered: true }) : { clients: [] };
    return { clients: [...named.clients, ...registered.clients].map(toOutput) };
  },
  toText: ({ clients }) =>
    textTable([
      ['CLIENT', 'NAME', 'KIND', 'MANAGED BY', 'REDIRECTS TO'],
      ...clients.map(({ clientId, name, isConfidential, managedBy, redirectUris }) => [
        clientId,
        name,
        isConfidential ? 'confidential' : 'public',
        managedBy,
        redirectUris.join(' '),
      ]),
    ]),
});

const clientRemove = defineCommand({
  name: 'oauth client remove',
  summary: 'remove an OAuth client and end its access, at once',
  input: z.object({ id: z.string().describe('The client, as oauth client list shows it') }),
  positionals: ['id'],
  needs,
  output: listed.pick({ clientId: true }),
  run: async ({ id }, { server }) => {
    await server.parts.administration.drop(id);
    return { clientId: id };
  },
  toText: ({ clientId }) => `client ${clientId} has no access any more`,
});

const keysRotate = defineCommand({
  name: 'oauth keys rotate',
  summary: 'put new keys for signatures and cookies before the old ones; a running server takes them at its next start',
  input: z.object({}),
  needs,
  output: z.object({ kid: z.string() }),
  run: async (_input, { server }) => {
    const { signing } = await rotateKeys(server.parts.secrets);
    return { kid: signing[0]?.kid ?? '' };
  },
  toText: ({ kid }) => `signing with key ${kid} from the next start on`,
});

export const commands: readonly Command[] = [clientAdd, clientList, clientRemove, keysRotate];

const toOutput = ({
  clientId,
  name,
  redirectUris,
  isConfidential,
  managedBy,
}: OAuthClientInfo): z.input<typeof listed> => ({
  clientId,
  name,
  redirectUris: [...redirectUris],
  isConfidential,
  managedBy,
});
