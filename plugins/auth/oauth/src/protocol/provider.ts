import type { Audit, Directory } from '@sextant/contracts';
import type { Logger } from '@sextant/core';
import { Provider, errors, interactionPolicy } from 'oidc-provider';
import type { Account, Client, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { hashOf } from '../tokens/artifact-keys.ts';
import { adapters } from './adapter.ts';
import { cookieNames } from '../cookie-names.ts';
import type { AdapterOptions } from './adapter.ts';
import { devicePages, renderError } from '../pages/device-pages.ts';
import type { ServerKeys } from '../tokens/server-keys.ts';
import { paths } from '../paths.ts';
import { isRouted, recordProtocol } from './protocol-record.ts';
import { isPublicHost } from './public-host.ts';
import { mayRegister } from '../clients/registration.ts';
import type { RegistrationRules } from '../clients/registration.ts';
import type { Resources } from './resources.ts';
import { shownLine } from '../shown-line.ts';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

export interface ProviderOptions extends AdapterOptions {
  externalURL: string;
  serverKeys: ServerKeys;
  directory: Directory;
  resources: Resources;
  registration: RegistrationRules;
  audit: Audit | undefined;
  log: Logger;
}

/** The library of the protocol, set up as the contract says. */
export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.externalURL, configurationOf(options));
  provider.Client.prototype.compareClientSecret = compareSecret;
  provider.on('server_error', (_ctx, error) => options.log.error({ err: error }, 'the authorization server failed'));
  const { audit, directory } = options;
  if (audit) recordProtocol(provider, { audit, directory });
  provider.use(async (context: KoaContextWithOIDC, next: () => Promise<unknown>) => {
    await next();
    sayWhatIsWrong(context);
  });
  // What the library itself does not answer. The framework would print it to standard error.
  (provider as EventEmitter).on('error', (error: unknown) =>
    options.log.error({ err: error }, 'the authorization server failed'),
  );
  keepOnlySaved(provider.Session.prototype);
  return provider;
}

/** To show its form again the library touches the session of the browser, also one that was never saved: then it throws. */
function keepOnlySaved(session: { exp?: number; persist(): Promise<string> }): void {
  const { persist } = session;
  session.persist = async function (this: typeof session) {
    return this.exp === undefined ? '' : persist.call(this);
  };
}

/**
 * The library has `invalid_request` for a grant type that the client did not register; RFC 6749 section 5.2 has an error of its own. Of a
 * resource that the grant is not for it says that it is unknown.
 */
function sayWhatIsWrong(context: KoaContextWithOIDC): void {
  const answer: unknown = context.body;
  if (!isRouted(context) || context.oidc.route !== 'token' || typeof answer !== 'object' || answer === null) return;
  if (!('error_description' in answer)) return;
  if (answer.error_description === unregisteredGrant) context.body = { ...answer, error: 'unauthorized_client' };
  if (answer.error_description === unknownResource) context.body = { ...answer, error_description: notGranted };
}

const unregisteredGrant = 'requested grant type is not allowed for this client';
const unknownResource = 'resource indicator is missing, or unknown';
const notGranted = 'this grant is for another resource; ask for authorization with this one';

/** Secrets of clients are stored as hashes. */
function compareSecret(this: Client, shown: string): boolean {
  return timingSafeEqual(Buffer.from(hashOf(shown)), Buffer.from((this.clientSecret ?? '').padEnd(43).slice(0, 43)));
}

function configurationOf(options: ProviderOptions): Configuration {
  const { serverKeys, directory, externalURL } = options;
  return {
    adapter: adapters(options),
    jwks: { keys: serverKeys.signing },
    cookies: cookiesOf(serverKeys, externalURL),
    scopes: ['mcp'],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    clientDefaults: {
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      id_token_signed_response_alg: 'ES256',
      scope: 'mcp',
    },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: (_ctx, client) => client.tokenEndpointAuthMethod === 'none' },
    rotateRefreshToken: true,
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: () => false,
    findAccount: (_ctx, id) => findAccount(directory, id),
    interactions: { policy: policy(), url: (_ctx, { uid }) => `${paths.consent}/${uid}` },
    routes: routes(),
    discovery: { userinfo_endpoint: externalURL + paths.userinfo, service_documentation: `${externalURL}/` },
    renderError,
    fetch: guardedFetch,
    ttl: {
      AccessToken: hour,
      AuthorizationCode: minute,
      DeviceCode: 10 * minute,
      Grant: 90 * day,
      IdToken: hour,
      Interaction: hour,
      RefreshToken: 30 * day,
      Session: hour,
    },
    features: featuresOf(options),
  };
}

function featuresOf({ resources, registration }: ProviderOptions): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    // Our own page answers: a token is good for an MCP endpoint, which the library takes for a reason to refuse it.
    userinfo: { enabled: false },
    registration: { enabled: registration.isEnabled, issueRegistrationAccessToken: false },
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    clientIdMetadataDocument: {
      enabled: registration.isEnabled,
      ack: 'draft-02',
      allowFetch: (_ctx, id) => isPublicHost(new URL(id).hostname),
      allowClient: (_ctx, { redirectUris = [], clientName }) =>
        mayRegister(redirectUris, registration) && shownLine.optional().safeParse(clientName).success,
    },
    revocation: { enabled: true, allowedPolicy: isOwnToken },
    introspection: { enabled: true, allowedPolicy: isOwnToken },
    deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****', ...devicePages },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resources.everywhere,
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource) => {
        if (!resources.has(resource))
          throw new errors.InvalidTarget(`resource must be one of ${resources.all.join(', ')}`);
        requireScope(ctx);
        return { scope: 'mcp', audience: resource, accessTokenFormat: 'opaque' };
      },
    },
  };
}

/** The library drops scopes that it does not know; RFC 6749 section 4.1.2.1 has an error for them. A request without any means the one there is. */
function requireScope({ oidc }: KoaContextWithOIDC): void {
  if (!oidc.params) return;
  const asked = typeof oidc.params['scope'] === 'string' ? oidc.params['scope'] : 'mcp';
  const foreign = asked.split(' ').filter((scope) => scope !== 'mcp');
  if (foreign.length > 0) throw new errors.InvalidScope('the only scope is mcp', foreign.join(' '));
  oidc.params['scope'] = asked;
}

const isOwnToken = (_ctx: KoaContextWithOIDC, client: Client, token: { clientId?: string | undefined }): boolean =>
  token.clientId === client.clientId;

/** Every request asks our own session who is there, and our own page whether they consent: the library remembers nobody. */
function policy(): interactionPolicy.Prompt[] {
  const { Check, Prompt } = interactionPolicy;
  const unless = (part: 'login' | 'consent'): interactionPolicy.Check =>
    new Check(`no_${part}`, `${part} is required`, `${part}_required`, ({ oidc }) => oidc.result?.[part] === undefined);
  return [
    new Prompt({ name: 'login', requestable: true }, unless('login')),
    new Prompt({ name: 'consent', requestable: true }, unless('consent')),
  ];
}

async function findAccount(directory: Directory, id: string): Promise<Account | undefined> {
  const caller = await directory.callerFor({ userId: Number(id), scopes: ['mcp'], credential: 'oauth' });
  return caller && { accountId: id, claims: () => ({ sub: id }) };
}

function cookiesOf({ cookies }: ServerKeys, externalURL: string): NonNullable<Configuration['cookies']> {
  const shape = { signed: true, httpOnly: true, sameSite: 'lax', secure: externalURL.startsWith('https:') } as const;
  return {
    keys: cookies,
    names: { ...cookieNames(externalURL) },
    long: shape,
    short: shape,
  };
}

const routes = (): NonNullable<Configuration['routes']> => ({
  authorization: paths.authorize,
  token: paths.token,
  registration: paths.register,
  revocation: paths.revoke,
  introspection: paths.introspect,
  device_authorization: paths.deviceCode,
  code_verification: paths.device,
  jwks: paths.jwks,
});

/** Metadata documents of clients are fetched only behind the library's guard against private addresses. */
function guardedFetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  if (!('dispatcher' in init)) throw new Error('the guard against private addresses is missing');
  return fetch(url, init);
}
