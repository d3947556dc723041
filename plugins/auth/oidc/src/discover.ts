import { messageOf } from '@sextant/core';
import type { Diagnosis } from '@sextant/core';
import type { ClientAuth, Configuration, CustomFetch, ServerMetadata } from 'openid-client';
import type { ProviderConfig } from './config.ts';

export const timeoutSeconds = 10;
const maxAnswerBytes = 1024 * 1024;

/** Reads the discovery document of a provider. Throws what goes wrong, within ten seconds. */
export async function discover({ issuer, clientId, clientSecret }: ProviderConfig): Promise<Configuration> {
  const client = await import('openid-client');
  const authentication: ClientAuth = (server, ...request) => {
    if (clientSecret === undefined) client.None()(server, ...request);
    else (takesBasic(server) ? basic(clientSecret) : client.ClientSecretPost(clientSecret))(server, ...request);
  };
  return client.discovery(new URL(issuer), clientId, undefined, authentication, {
    timeout: timeoutSeconds,
    [client.customFetch]: boundedFetch,
    execute: [
      // Without it the library takes the connection for proof enough of who made an ID token.
      client.enableNonRepudiationChecks,
      ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
    ],
  });
}

/** For `sextant doctor`. */
export async function diagnoseProvider(config: ProviderConfig): Promise<Diagnosis> {
  const what = 'sign-in provider';
  try {
    await discover(config);
    return { what, state: 'fine', text: `${config.issuer} answers` };
  } catch (error) {
    const reason = messageOf(error instanceof Error ? (error.cause ?? error) : error);
    const text = `${config.issuer} cannot be used: ${reason}; nobody can sign in with it. Check "issuer", the network and the proxy`;
    return { what, state: 'wrong', text };
  }
}

/** What is not said is `client_secret_basic` (OpenID Connect Discovery section 3). */
const takesBasic = ({ token_endpoint_auth_methods_supported: methods }: ServerMetadata): boolean =>
  methods?.includes('client_secret_basic') ?? true;

/**
 * `client_secret_basic` (RFC 6749 section 2.3.1). The library writes `-` and `.` as escapes too, which is allowed. Gitea
 * takes both parts as they stand, so that nothing is escaped that need not be.
 */
const basic =
  (clientSecret: string): ClientAuth =>
  (...request) => {
    const [, { client_id: id }, , headers] = request;
    const login = [id, clientSecret].map((part) => new URLSearchParams([['', part]]).toString().slice(1)).join(':');
    headers.set('authorization', `Basic ${Buffer.from(login).toString('base64')}`);
  };

/** The library reads answers whole. */
export const boundedFetch: CustomFetch = async (url, { body, ...init }) => {
  const response = await fetch(url, { ...init, ...(body instanceof URLSearchParams && { body }) });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > maxAnswerBytes) throw new Error(`the provider answered with more than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(chunks.length > 0 ? Buffer.concat(chunks) : null, { status, headers });
};
