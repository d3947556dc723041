import { AccessTokens } from '@sextant/contracts';
import { SextantError, definePage, scopes } from '@sextant/core';
import type { Page } from '@sextant/core';
import { z } from 'zod';

const path = '/api/access-tokens';
const needs = { tokens: AccessTokens };
const access = { scope: 'all' } as const;

const newToken = z.strictObject({
  name: z.string().default(''),
  scopes: z.array(z.enum(scopes)).default(['all']),
  expires: z.string().optional(),
});

const list = definePage({
  name: 'access-tokens-api-list',
  method: 'GET',
  path,
  access,
  needs,
  respond: async (_request, { tokens }, { caller }) => json(200, { tokens: await tokens.list(caller) }),
});

const create = definePage({
  name: 'access-tokens-api-create',
  method: 'POST',
  path,
  access,
  needs,
  async respond(request, { tokens }, { caller }) {
    const { name, scopes: wanted, expires } = await readNewToken(request);
    const { secret, ...info } = await tokens.create(caller, {
      name,
      scopes: wanted,
      ...(expires !== undefined && { expires }),
    });
    return json(201, { token: secret, ...info });
  },
});

const revoke = definePage({
  name: 'access-tokens-api-revoke',
  method: 'DELETE',
  path: `${path}/:id`,
  access,
  needs,
  async respond({ url }, { tokens }, { caller }) {
    const id = new URL(url).pathname.slice(path.length + 1);
    if (!/^\d{1,15}$/.test(id))
      throw new SextantError('not_found', 'a token is named by its number, as the list shows it');
    await tokens.revoke(caller, Number(id));
    return new Response(null, { status: 204 });
  },
});

export const api: readonly Page[] = [list, create, revoke];

async function readNewToken(request: Request): Promise<z.output<typeof newToken>> {
  const body: unknown = await request.json().catch(() => {
    throw new SextantError(
      'invalid_argument',
      'the body is no JSON; send {"name":"laptop","scopes":["mcp"],"expires":"90d"}',
    );
  });
  const parsed = newToken.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new SextantError(
    'invalid_argument',
    `${issue?.path.join('.') || 'body'}: ${issue?.message}; allowed are name, scopes (${scopes.join(', ')}) and expires (90d, 12h, 2027-01-31)`,
  );
}

const json = (status: number, body: unknown): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store' } });
