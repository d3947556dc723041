import { pageFrame } from '@sextant/contracts';
import type { BrowserSession } from '@sextant/contracts';
import type { Call } from '@sextant/core';
import { button, html, htmlResponse, postForm, table } from '@sextant/library-ui';
import { paths } from '../paths.ts';
import type { AuthorizationServer } from '../server.ts';

/** The clients that a person let in. */
export async function listAuthorizations(server: AuthorizationServer, request: Request, call: Call): Promise<Response> {
  const session = await server.parts.sessions.find(request.headers);
  if (!session) return toSignIn();
  const { csrfToken, setCookie } = await server.parts.sessions.formToken(request);
  const rows = await Promise.all((await grantedClients(server, session)).map((id) => named(server, id)));
  const remove = (id: string) =>
    postForm({
      action: paths.authorizations,
      csrfToken,
      hidden: { client: id },
      body: button('Remove', { kind: 'danger', isSmall: true }),
      isInline: true,
    });
  const columns = [
    { title: 'Client', cell: ({ name }: GrantedClient) => name },
    { title: '', cell: ({ id }: GrantedClient) => remove(id) },
  ];
  const clients = table({
    caption: 'Connected clients',
    columns,
    rows,
    empty: html`<p>You have let no client in. <a href="/#connect">Connect a client</a></p>`,
  });
  const introduction = 'These clients read code in your name. One that you remove loses its access at once.';
  return htmlResponse({
    ...(await pageFrame(request, call, server.parts.sessions)),
    title: 'Connected clients',
    body: html`<h1>Connected clients</h1><p>${introduction}</p>${clients}`,
    setCookie,
  });
}

interface GrantedClient {
  readonly id: string;
  readonly name: string;
}

export async function revokeAuthorization(
  server: AuthorizationServer,
  request: Request,
  call: Call,
): Promise<Response> {
  const session = await server.parts.sessions.find(request.headers);
  if (!session) return toSignIn();
  const form = await server.parts.sessions.readForm(request);
  const client = form.get('client') ?? '';
  await server.parts.artifacts.revokeClientOf(String(session.userId), client);
  const caller = await server.parts.sessions.callerOf(session);
  server.parts.audit?.record({
    action: 'authorization.revoked',
    outcome: 'success',
    client,
    ...(caller && { actor: { id: caller.user.id, name: caller.user.name } }),
    ...(call.remoteAddress !== undefined && { address: call.remoteAddress }),
  });
  return new Response(null, { status: 303, headers: { location: paths.authorizations } });
}

async function grantedClients({ parts }: AuthorizationServer, { userId }: BrowserSession): Promise<string[]> {
  const grants = await parts.artifacts.grantsOf(String(userId));
  return [...new Set(grants.flatMap(({ client_id: id }) => id ?? []))];
}

const named = async ({ parts }: AuthorizationServer, id: string): Promise<GrantedClient> => ({
  id,
  name: (await parts.clients.find(id))?.client_name ?? id,
});

const toSignIn = (): Response =>
  new Response(null, {
    status: 303,
    headers: { location: `/sign-in?${new URLSearchParams({ return: paths.authorizations })}` },
  });
