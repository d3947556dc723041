import { navigationOrder } from '@sextant/contracts';
import { definePage } from '@sextant/core';
import type { Call, Page } from '@sextant/core';
import { z } from 'zod';
import { listAuthorizations, revokeAuthorization } from './authorizations.ts';
import { askConsent, takeConsent } from './consent.ts';
import { paths } from '../paths.ts';
import { authorizationServer, notFound } from '../server.ts';
import type { AuthorizationServer } from '../server.ts';
import { secretIn } from '../tokens/token-check.ts';

type Respond = (server: AuthorizationServer, request: Request, call: Call) => Promise<Response>;

const page = (
  route: `${'GET' | 'POST'} /${string}`,
  respond: Respond,
  { access = 'anyone', link }: Partial<Pick<Page, 'access' | 'link'>> = {},
): Page => {
  const [method, path = ''] = route.split(' ');
  return definePage({
    name: `oauth ${route}`,
    method: method === 'POST' ? 'POST' : 'GET',
    path,
    access,
    ...(link && { link }),
    needs: { server: authorizationServer },
    // A HEAD is answered as its GET: the host leaves the body out, and nothing here need know of it.
    respond: (request, { server }, call) =>
      respond(
        server,
        request.method === 'HEAD' ? new Request(request.url, { headers: request.headers }) : request,
        call,
      ),
  });
};

const protocol: Respond = (server, request, { remoteAddress }) => server.answer(request, remoteAddress);

const authorizationServerMetadata = z.looseObject({});

/** RFC 8414. The library names scopes and ways to answer that no client may use here. */
const describeServer: Respond = async (server, request) => {
  const { registration_endpoint: registration, ...described } = authorizationServerMetadata.parse(
    await (await server.answer(request)).json(),
  );
  return Response.json({
    ...described,
    ...(server.parts.settings.isMcpEnabled && registration !== undefined && { registration_endpoint: registration }),
    scopes_supported: ['mcp'],
    response_modes_supported: ['query'],
  });
};

/** RFC 9728: which authorization server gives tokens for an MCP endpoint. */
const describeResource: Respond = async ({ parts }, request) => {
  const endpoint = new URL(request.url).pathname.slice(paths.protectedResource.length);
  const { settings, resources, externalURL } = parts;
  if (!settings.isMcpEnabled || !settings.endpoints.includes(endpoint)) return notFound();
  return Response.json({
    resource: resources.of(endpoint),
    authorization_servers: [externalURL],
    scopes_supported: ['mcp'],
    bearer_methods_supported: ['header'],
    resource_name: 'Sextant',
  });
};

/** Who the token stands for (OpenID Connect Core section 5.3). */
const describeUser: Respond = async ({ parts }, { headers }) => {
  const secret = secretIn(headers);
  const caller = secret === undefined ? undefined : await parts.check.callerOf(secret);
  if (!caller)
    return new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer error="invalid_token"' } });
  const { id, name, email } = caller.user;
  return Response.json(
    { sub: String(id), preferred_username: name, ...(email !== undefined && { email }) },
    { headers: { 'cache-control': 'no-store' } },
  );
};

export const pages: readonly Page[] = [
  page(`GET ${paths.authorize}`, protocol),
  page(`GET ${paths.authorize}/:uid`, protocol),
  page(`GET ${paths.device}`, protocol),
  page(`GET ${paths.device}/:uid`, protocol),
  page(`GET ${paths.jwks}`, protocol),
  page(`GET ${paths.authorizationServer}`, describeServer),
  page(`GET ${paths.openidConfiguration}`, describeServer),
  page(`POST ${paths.token}`, protocol),
  page(`POST ${paths.register}`, protocol),
  page(`POST ${paths.revoke}`, protocol),
  page(`POST ${paths.introspect}`, protocol),
  page(`POST ${paths.deviceCode}`, protocol),
  page(`POST ${paths.device}`, protocol),
  page(`GET ${paths.userinfo}`, describeUser),
  page(`POST ${paths.userinfo}`, describeUser),
  page(`GET ${paths.protectedResource}/**`, describeResource),
  page(`GET ${paths.consent}/:uid`, askConsent),
  page(`POST ${paths.consent}/:uid`, takeConsent),
  page(`GET ${paths.authorizations}`, listAuthorizations, {
    access: { scope: 'all' },
    link: { title: 'Connected clients', order: navigationOrder.connectedClients },
  }),
  page(`POST ${paths.authorizations}`, revokeAuthorization),
];
