import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { JsonWebKey, KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { upstreamClient } from './upstream.ts';

/** An ID token before it is signed. */
export interface IdToken {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  signature: 'RS256' | 'HS256' | 'none';
  key: KeyObject | string;
}

export interface HostileProvider extends AsyncDisposable {
  readonly issuer: string;
  /** What was asked for, with what came along. */
  readonly asked: string[];
  readonly key: KeyObject;
  readonly publicKey: JsonWebKey;
  readonly publicPem: string;
  /** What it does otherwise than an honest one; each may be changed while it runs. */
  lies: Lies;
}

export interface Lies {
  /** Of the nonce that the sign-in sent. */
  idToken?: (honest: IdToken) => IdToken | undefined;
  metadata?: Record<string, unknown>;
  userInfo?: Record<string, unknown>;
  keys?: readonly object[];
  /** Answers in place of what is asked for at a path. */
  at?: Readonly<Record<string, (response: ServerResponse) => void>>;
}

const paths = { discovery: '/.well-known/openid-configuration', token: '/token', keys: '/jwks', user: '/me' };
const { privateKey: key, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A provider that is honest until it is told how to lie. A sign-in's code is its nonce, so that nothing is kept. */
export async function startHostileProvider(): Promise<HostileProvider> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A server that listens on TCP has such an address.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig', alg: 'RS256' };
  const provider: HostileProvider = {
    issuer,
    asked: [],
    key,
    publicKey: jwk,
    publicPem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    lies: {},
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  server.on('request', (request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer);
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      provider.asked.push(`${request.method} ${pathname} ${request.headers.authorization ?? ''} ${body}`.trim());
      const lie = provider.lies.at?.[pathname];
      if (lie) return lie(response);
      const answer = answerOf(provider, pathname, new URLSearchParams(body).get('code') ?? '');
      response.setHeader('content-type', 'application/json');
      response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
    });
  });
  return provider;
}

function answerOf({ issuer, lies, publicKey: jwk }: HostileProvider, pathname: string, nonce: string): unknown {
  if (pathname === paths.discovery)
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: issuer + paths.token,
      jwks_uri: issuer + paths.keys,
      userinfo_endpoint: issuer + paths.user,
      ...lies.metadata,
    };
  if (pathname === paths.keys) return { keys: lies.keys ?? [jwk] };
  if (pathname === paths.user) return { sub: 'u-1', ...lies.userInfo };
  if (pathname !== paths.token) return undefined;
  const honest = honestToken(issuer, nonce);
  const token = lies.idToken ? lies.idToken(honest) : honest;
  return { access_token: 'x', token_type: 'Bearer', ...(token && { id_token: signed(token) }) };
}

function honestToken(issuer: string, nonce: string): IdToken {
  const now = Math.floor(Date.now() / 1000);
  return {
    header: { alg: 'RS256', kid: 'first' },
    claims: {
      iss: issuer,
      sub: 'u-1',
      aud: upstreamClient.clientId,
      iat: now,
      exp: now + 600,
      nonce,
      preferred_username: 'ann',
    },
    signature: 'RS256',
    key,
  };
}

function signed({ header, claims, signature, key: by }: IdToken): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const proof =
    signature === 'none'
      ? Buffer.alloc(0)
      : signature === 'HS256'
        ? createHmac('sha256', by).update(text).digest()
        : sign('sha256', Buffer.from(text), by);
  return `${text}.${proof.toString('base64url')}`;
}
