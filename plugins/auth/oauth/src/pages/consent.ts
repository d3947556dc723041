import type { AuditEvent, BrowserSession } from '@sextant/contracts';
import { hasPermission, mcpAccess } from '@sextant/core';
import type { Call } from '@sextant/core';
import { button, contentSecurityPolicy, html, htmlResponse, notice, postForm } from '@sextant/library-ui';
import type { Content } from '@sextant/library-ui';
import type { Client, Interaction } from 'oidc-provider';
import type { Consent } from '../tokens/artifact-store.ts';
import { paths } from '../paths.ts';
import { isLoopbackRedirect, redirectSource, redirectTarget } from '../clients/redirect-uri.ts';
import type { AuthorizationServer } from '../server.ts';

/** A client that waits for a person's answer. */
interface Asked {
  readonly server: AuthorizationServer;
  readonly request: Request;
  readonly address: string | undefined;
  readonly interaction: Interaction;
  readonly client: Client;
  readonly resource: string;
}

/** Asks who is at the browser, and then whether they let the client in. One who did before is not asked again. */
export async function askConsent(server: AuthorizationServer, request: Request, call: Call): Promise<Response> {
  const asked = await askedIn(server, request, call);
  if (!asked) return expired();
  const session = await server.parts.sessions.find(request.headers);
  if (!session) return toSignIn(request);
  return (await isRemembered(asked, session)) ? onward(await allow(asked, session)) : consentPage(asked, session);
}

/** Takes the answer. */
export async function takeConsent(server: AuthorizationServer, request: Request, call: Call): Promise<Response> {
  const asked = await askedIn(server, request, call);
  if (!asked) return expired();
  const session = await server.parts.sessions.find(request.headers);
  if (!session) return toSignIn(request);
  const form = await server.parts.sessions.readForm(request);
  if (form.get('decision') === 'allow') return redirect(await allow(asked, session));
  await record(asked, session, { action: 'authorization.denied', outcome: 'failure' });
  return redirect(await finish(asked, denied));
}

const denied = { error: 'access_denied', error_description: 'the person did not let the client in' };

/** The interaction that the browser's cookie names; undefined when it is over, or another browser's. */
async function askedIn(server: AuthorizationServer, request: Request, call: Call): Promise<Asked | undefined> {
  const { resources } = server.parts;
  const provider = await server.parts.provider();
  const exchange = await server.exchange(request);
  try {
    const interaction = await provider.interactionDetails(exchange.request, exchange.response);
    const { client_id: clientId, resource: named } = interaction.params;
    const client = await provider.Client.find(String(clientId));
    const resource = typeof named === 'string' ? named : resources.everywhere;
    return client && { server, request, address: call.remoteAddress, interaction, client, resource };
  } catch (error) {
    if (error instanceof Error && error.name === 'SessionNotFound') return undefined;
    throw error;
  }
}

async function record(
  { server, address, client, resource }: Asked,
  session: BrowserSession,
  event: Pick<AuditEvent, 'action' | 'outcome'>,
): Promise<void> {
  const { audit, sessions } = server.parts;
  if (!audit) return;
  const caller = await sessions.callerOf(session);
  audit.record({
    ...event,
    client: client.clientId,
    target: resource,
    detail: client.clientName ?? '',
    ...(caller && { actor: { id: caller.user.id, name: caller.user.name } }),
    ...(address !== undefined && { address }),
  });
}

async function isRemembered(asked: Asked, session: BrowserSession): Promise<boolean> {
  const { server, interaction } = asked;
  // A device code may be someone else's: that is why its page asks, every time.
  if (interaction.deviceCode !== undefined || String(interaction.params['prompt'] ?? '') !== '') return false;
  return server.parts.artifacts.isConsented(consentOf(asked, session));
}

/**
 * What a person has agreed to: a client, an endpoint, and where exactly the answer goes. Nobody can tell which program of a
 * computer listens at another port (RFC 8252 section 8.6).
 */
function consentOf({ interaction, client, resource }: Asked, { userId }: BrowserSession): Consent {
  const redirectUri = String(interaction.params['redirect_uri'] ?? '');
  return { accountId: String(userId), clientId: client.clientId, resource, redirectUri };
}

async function allow(asked: Asked, session: BrowserSession): Promise<string> {
  const { server, client, resource } = asked;
  const { Grant } = await server.parts.provider();
  const accountId = String(session.userId);
  const grant = new Grant({ accountId, clientId: client.clientId });
  grant.addResourceScope(resource, 'mcp');
  await record(asked, session, { action: 'authorization.granted', outcome: 'success' });
  const grantId = await grant.save();
  if (asked.interaction.deviceCode === undefined)
    await server.parts.artifacts.noteConsent(consentOf(asked, session), grantId);
  return finish(asked, { login: { accountId, remember: false }, consent: { grantId } });
}

/** Keeps the answer, and says where the flow goes on. */
async function finish({ server, request }: Asked, result: object): Promise<string> {
  const exchange = await server.exchange(request);
  const provider = await server.parts.provider();
  return provider.interactionResult(exchange.request, exchange.response, { ...result });
}

async function consentPage(asked: Asked, session: BrowserSession): Promise<Response> {
  const { server, request, interaction, client, resource } = asked;
  const { sessions, directory } = server.parts;
  const { csrfToken, setCookie } = await sessions.formToken(request);
  const { userId } = session;
  const caller = await directory.callerFor({ userId, scopes: ['mcp'], credential: `session:${userId}` });
  const redirectUri = interaction.params['redirect_uri'];
  const target = typeof redirectUri === 'string' ? redirectUri : undefined;
  const name = client.clientName ?? client.clientId;
  const isSelfRegistered = await server.parts.clients.isSelfRegistered(client.clientId);
  const action = `${paths.consent}/${interaction.uid}`;
  return htmlResponse({
    title: 'Connect a client',
    isNarrow: true,
    body: html`<h1>Let ${name} in?</h1>
      <p>It will be able to search and read all code that you may read here.</p>
      <div class="card stack">
        ${fact('Client', name)}
        ${fact('Sends you back to', target === undefined ? 'nowhere: it runs on another device' : redirectTarget(target))}
        ${fact('Scope', `mcp, for ${resource === server.parts.resources.everywhere ? 'all MCP endpoints of this server' : resource}`)}
        ${caller && !hasPermission(caller, mcpAccess) ? withoutAccess : ''} ${warnings(isSelfRegistered, target)}
        ${postForm({ action, csrfToken, body: decisions })}
      </div>`,
    headers: { 'content-security-policy': policyFor(target) },
    setCookie,
  });
}

const withoutAccess = notice(
  'danger',
  'You may not use MCP on this server, so the client will be refused. Ask an administrator for a role with the permission MCP#ACCESS.',
);

const fact = (title: string, text: string): Content =>
  html`<div><span class="quiet">${title}</span><br /><strong>${text}</strong></div>`;

const decisions = [
  button('Allow', { name: 'decision', value: 'allow' }),
  button('Deny', { kind: 'plain', name: 'decision', value: 'deny' }),
];

/** Browsers apply `form-action` to where the answer to a form redirects, too. */
const policyFor = (target: string | undefined): string =>
  target === undefined
    ? contentSecurityPolicy
    : contentSecurityPolicy.replace("form-action 'self'", `form-action 'self' ${redirectSource(target)}`);

const warnings = (isSelfRegistered: boolean, target: string | undefined): Content => [
  isSelfRegistered
    ? notice('warning', 'Nobody has checked this client: it registered itself, and its name is its own choice.')
    : undefined,
  target !== undefined && isLoopbackRedirect(target)
    ? notice('warning', 'It runs on your computer. Go on only if you have just started it there.')
    : undefined,
];

/** Not a redirect: a browser that was just sent here by a form would refuse to follow it to another server. */
const onward = (next: string): Response =>
  htmlResponse({
    title: 'Connecting',
    isNarrow: true,
    body: html`<p><a href=${next}>Continue</a></p>`,
    headers: { refresh: `0;url=${next}` },
  });

const toSignIn = ({ url }: Request): Response =>
  redirect(`/sign-in?${new URLSearchParams({ return: new URL(url).pathname })}`);

const redirect = (location: string): Response =>
  new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } });

const expired = (): Response =>
  htmlResponse({
    title: 'This request is over',
    isNarrow: true,
    body: html`<h1>This request is over</h1>
      <p>It was answered already, took too long, or began in another browser. Connect again from your client.</p>`,
    status: 400,
  });
