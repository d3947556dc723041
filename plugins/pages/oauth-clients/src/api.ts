import { OAuthClients, manageOAuthClients } from '@sextant/contracts';
import { SextantError, definePage } from '@sextant/core';
import type { Page } from '@sextant/core';
import { z } from 'zod';

const path = '/api/oauth-clients';
const needs = { clients: OAuthClients };
const access = { scope: 'all', permission: manageOAuthClients } as const;

const newClient = z.strictObject({
  clientId: z.string().optional(),
  name: z.string(),
  redirectUris: z.array(z.string()).default([]),
  confidential: z.boolean().default(false),
});
const change = newClient.pick({ redirectUris: true });
const filter = z.strictObject({
  registered: z.enum(['true', 'false']).default('false'),
  offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

const list = definePage({
  name: 'oauth-clients-api-list',
  method: 'GET',
  path,
  access,
  needs,
  async respond({ url }, { clients }, call) {
    const { registered, ...range } = parse(filter, Object.fromEntries(new URL(url).searchParams));
    return json(200, await clients.list(call, { ...range, isRegistered: registered === 'true' }));
  },
});

const create = definePage({
  name: 'oauth-clients-api-create',
  method: 'POST',
  path,
  access,
  needs,
  async respond(request, { clients }, call) {
    const { clientId, confidential, ...given } = parse(newClient, await readJson(request));
    const client = { ...given, isConfidential: confidential, ...(clientId !== undefined && { clientId }) };
    return json(201, await clients.create(call, client));
  },
});

const update = definePage({
  name: 'oauth-clients-api-change',
  method: 'POST',
  path: `${path}/:id`,
  access,
  needs,
  async respond(request, { clients }, call) {
    const { redirectUris } = parse(change, await readJson(request));
    return json(200, await clients.setRedirectUris(call, { clientId: idIn(request), redirectUris }));
  },
});

const remove = definePage({
  name: 'oauth-clients-api-remove',
  method: 'DELETE',
  path: `${path}/:id`,
  access,
  needs,
  async respond(request, { clients }, call) {
    await clients.remove(call, idIn(request));
    return new Response(null, { status: 204 });
  },
});

export const api: readonly Page[] = [list, create, update, remove];

function idIn({ url }: Request): string {
  const given = new URL(url).pathname.slice(path.length + 1);
  try {
    return decodeURIComponent(given);
  } catch {
    return given;
  }
}

const readJson = (request: Request): Promise<unknown> =>
  request.json().catch(() => {
    throw new SextantError(
      'invalid_argument',
      'the body is no JSON; send {"name":"Desk","redirectUris":["https://desk.example/callback"],"confidential":false}',
    );
  });

function parse<T extends z.ZodObject>(schema: T, given: unknown): z.output<T> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SextantError(
    'invalid_argument',
    `${issue?.path.join('.') || 'what was sent'}: ${issue?.message}; allowed are ${Object.keys(schema.shape).join(', ')}`,
  );
}

const json = (status: number, body: unknown): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
