import { OAuthClients, Sessions, manageOAuthClients, pageFrame, navigationOrder } from '@sextant/contracts';
import type { NewOAuthClient } from '@sextant/contracts';
import { definePage, isSextantError } from '@sextant/core';
import type { Call, Page } from '@sextant/core';
import { showClient } from './client-view.ts';
import { registeredAtOnce, showOverview } from './overview.ts';
import type { Overview } from './overview.ts';
import { editPath, path } from './paths.ts';

const needs = { clients: OAuthClients, sessions: Sessions };
const access = { scope: 'all', permission: manageOAuthClients } as const;
/** More are named by nobody; those of the configuration come first. */
const mostNamed = 1000;

interface Visit {
  request: Request;
  call: Call;
  services: { clients: OAuthClients; sessions: Sessions };
}

const overview = definePage({
  name: 'oauth-clients',
  method: 'GET',
  path,
  access,
  needs,
  link: { title: 'OAuth clients', order: navigationOrder.oauthClients },
  respond: (request, services, call) => overviewTo({ request, services, call }),
});

const create = definePage({
  name: 'oauth-clients-create',
  method: 'POST',
  path,
  access,
  needs,
  async respond(request, services, call) {
    const visit = { request, services, call };
    const typed = clientIn(await services.sessions.readForm(request));
    return explaining(
      async () => overviewTo(visit, { created: await services.clients.create(call, typed) }),
      (problem, status) => overviewTo(visit, { problem, status, typed }),
    );
  },
});

const edit = definePage({
  name: 'oauth-client',
  method: 'GET',
  path: editPath,
  access,
  needs,
  respond: (request, services, call) =>
    clientTo({ request, services, call }, new URL(request.url).searchParams.get('client') ?? ''),
});

const change = definePage({
  name: 'oauth-client-change',
  method: 'POST',
  path: editPath,
  access,
  needs,
  async respond(request, services, call) {
    const fields = await services.sessions.readForm(request);
    const clientId = fields.get('client') ?? '';
    const redirectUris = linesOf(fields.get('redirects'));
    return explaining(
      async () => {
        await services.clients.setRedirectUris(call, { clientId, redirectUris });
        return to(`${path}?done=changed`);
      },
      (problem, status) => clientTo({ request, services, call }, clientId, { problem, status, redirectUris }),
    );
  },
});

const remove = definePage({
  name: 'oauth-client-remove',
  method: 'POST',
  path: `${path}/remove`,
  access,
  needs,
  async respond(request, services, call) {
    const clientId = (await services.sessions.readForm(request)).get('client') ?? '';
    return explaining(
      async () => {
        await services.clients.remove(call, clientId);
        return to(`${path}?done=removed`);
      },
      (problem, status) => overviewTo({ request, services, call }, { problem, status }),
    );
  },
});

export const pages: readonly Page[] = [overview, create, edit, change, remove];

function clientIn(fields: URLSearchParams): NewOAuthClient {
  const clientId = fields.get('id')?.trim() ?? '';
  return {
    ...(clientId !== '' && { clientId }),
    name: fields.get('name')?.trim() ?? '',
    redirectUris: linesOf(fields.get('redirects')),
    isConfidential: fields.get('kind') === 'confidential',
  };
}

const linesOf = (text: string | null): string[] => (text ?? '').split(/\s+/).filter((line) => line !== '');

/** A person who did something wrong sees why, beside what they typed. */
async function explaining(
  work: () => Promise<Response>,
  explain: (problem: string, status: number) => Promise<Response>,
): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!isSextantError(error) || !/^(invalid_argument|conflict|not_found)$/.test(error.code)) throw error;
    return explain(error.message, error.code === 'not_found' ? 404 : 400);
  }
}

async function overviewTo(visit: Visit, more: Partial<Overview> = {}): Promise<Response> {
  const { request, services, call } = visit;
  const { clients } = services;
  const offset = Number(/^\d{1,6}$/.exec(new URL(request.url).searchParams.get('from') ?? '')?.[0] ?? 0);
  return showOverview({
    ...(await around(visit)),
    named: (await clients.list(call, { isRegistered: false, offset: 0, limit: mostNamed })).clients,
    registered: await clients.list(call, { isRegistered: true, offset, limit: registeredAtOnce }),
    offset,
    ...more,
  });
}

async function clientTo(
  visit: Visit,
  clientId: string,
  more: { problem?: string; status?: number; redirectUris?: readonly string[] } = {},
): Promise<Response> {
  const { services, call } = visit;
  return showClient({ ...(await around(visit)), client: await services.clients.find(call, clientId), ...more });
}

async function around({ request, services: { sessions }, call }: Visit) {
  const { csrfToken, setCookie } = await sessions.formToken(request);
  return { frame: { ...(await pageFrame(request, call, sessions)), path }, url: request.url, csrfToken, setCookie };
}

const to = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });
