import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';
import { MemoryAdapter } from './memory-adapter.ts';

/** What a provider knows of a person. */
export interface UpstreamPerson {
  readonly [claim: string]: unknown;
}

export interface Upstream extends AsyncDisposable {
  readonly issuer: string;
  /** By subject; may be changed while it runs. */
  readonly people: Map<string, UpstreamPerson>;
  /** Paths that were asked for. */
  readonly asked: string[];
}

export const upstreamClient = { clientId: 'sextant', clientSecret: 'a secret that only tests know' };

/**
 * A real OpenID Connect provider on this machine: whoever types in a subject is that person. It may have an API at the same
 * address, as code hosts do.
 */
export async function startUpstream(redirectUri: string, api?: RequestListener): Promise<Upstream> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on TCP has such an address.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const people = new Map<string, UpstreamPerson>();
  const asked: string[] = [];
  const minutes = 600;
  const provider = new Provider(issuer, {
    adapter: MemoryAdapter,
    jwks: {
      keys: [
        { ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), kty: 'RSA' },
      ],
    },
    ttl: { AccessToken: minutes, Grant: minutes, IdToken: minutes, Interaction: minutes, Session: minutes },
    clients: [
      {
        client_id: upstreamClient.clientId,
        client_secret: upstreamClient.clientSecret,
        redirect_uris: [redirectUri],
        application_type: redirectUri.startsWith('http:') ? 'native' : 'web',
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['preferred_username', 'groups'],
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/person/${uid}` },
    pkce: { required: () => true },
    cookies: { keys: ['only for tests'] },
    findAccount: (_ctx, sub) => {
      const person = people.get(sub);
      return person && { accountId: sub, claims: () => ({ sub, ...person }) };
    },
  });
  provider.silent = true;
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (api && request.url?.startsWith('/api/')) return api(request, response);
    asked.push(new URL(request.url ?? '', issuer).pathname);
    void (request.url?.startsWith('/person/') ? askWho(provider, request, response) : answer(request, response));
  });
  return {
    issuer,
    people,
    asked,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function askWho(provider: Provider, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'POST') {
    response.setHeader('content-type', 'text/html');
    response.end(
      '<!doctype html><title>Acme</title><link rel="icon" href="data:,"><h1>Acme</h1><form method="post"><label>Subject <input name="sub"></label><button>Go on</button></form>',
    );
    return;
  }
  const accountId = new URLSearchParams(await text(request)).get('sub') ?? '';
  const { params } = await provider.interactionDetails(request, response);
  if (accountId === '') {
    const refusal = { error: 'access_denied', error_description: 'nobody <b>you</b> know' };
    return provider.interactionFinished(request, response, refusal);
  }
  const grant = new provider.Grant({ accountId, clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  const result = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

/** What a browser does at the provider: goes there, says who it is, and is sent back. */
export async function visitUpstream(start: string, subject: string): Promise<URL> {
  const cookies = new Map<string, string>();
  const go = async (url: URL, body?: URLSearchParams): Promise<URL> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(body && { method: 'POST', body }),
    });
    for (const each of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) return go(url, new URLSearchParams({ sub: subject }));
    const next = new URL(location, url);
    return next.origin === new URL(start).origin ? go(next) : next;
  };
  return go(new URL(start));
}
