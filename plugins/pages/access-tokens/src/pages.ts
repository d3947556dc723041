import { AccessTokens, Sessions, pageFrame, navigationOrder } from '@sextant/contracts';
import { SextantError, definePage, isSextantError, scopes } from '@sextant/core';
import type { Call, Page, Scope } from '@sextant/core';
import { expiries, path, show } from './view.ts';
import type { View } from './view.ts';

const needs = { tokens: AccessTokens, sessions: Sessions };
const access = { scope: 'all' } as const;

interface Visit {
  request: Request;
  call: Call;
  services: { tokens: AccessTokens; sessions: Sessions };
}

const overview = definePage({
  name: 'access-tokens',
  method: 'GET',
  path,
  access,
  needs,
  link: { title: 'Access tokens', order: navigationOrder.accessTokens },
  respond: (request, services, call) => showTo({ request, services, call }),
});

const create = definePage({
  name: 'access-tokens-create',
  method: 'POST',
  path,
  access,
  needs,
  respond: (request, services, call) =>
    explaining({ request, services, call }, async () => {
      const fields = await services.sessions.readForm(request);
      const expires = fields.get('expires') ?? '';
      if (!Object.hasOwn(expiries, expires))
        throw new SextantError('invalid_argument', 'choose when the token expires');
      const { secret } = await services.tokens.create(call.caller, {
        name: fields.get('name')?.trim() ?? '',
        scopes: fields.getAll('scope').filter(isScope),
        ...(expires !== 'never' && { expires }),
      });
      return showTo({ request, services, call }, { secret });
    }),
});

const revoke = definePage({
  name: 'access-tokens-revoke',
  method: 'POST',
  path: `${path}/revoke`,
  access,
  needs,
  respond: (request, services, call) =>
    explaining({ request, services, call }, async () => {
      const id = Number((await services.sessions.readForm(request)).get('id'));
      await services.tokens.revoke(call.caller, id);
      return new Response(null, { status: 303, headers: { location: path, 'cache-control': 'no-store' } });
    }),
});

export const pages: readonly Page[] = [overview, create, revoke];

const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text);

/** A person who did something wrong sees why on the same page. */
async function explaining(visit: Visit, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!isSextantError(error)) throw error;
    return showTo(visit, { problem: error.message, status: error.code === 'forbidden' ? 403 : 400 });
  }
}

async function showTo({ request, services, call }: Visit, more: Partial<View> = {}): Promise<Response> {
  const { csrfToken, setCookie } = await services.sessions.formToken(request);
  const frame = await pageFrame(request, call, services.sessions);
  const tokens = await services.tokens.list(call.caller);
  return show({ frame: { ...frame, path }, csrfToken, setCookie, tokens, ...more });
}
