import { createHash, randomBytes } from 'node:crypto';
import { Browser } from './browser.ts';
import type { Shown } from './browser.ts';
import type { StartedOAuth } from './start-oauth.ts';
import { origin } from './start-oauth.ts';

export const callback = 'http://127.0.0.1:4711/callback';
export const mcp = `${origin}/.api/mcp`;

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

/** Sends a form to an endpoint of the protocol. */
export async function post(
  server: StartedOAuth,
  path: string,
  form: Record<string, string>,
  authorization?: string,
): Promise<Answer> {
  const response = await server.fetch(`${origin}/.auth/idp/oauth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...(authorization && { authorization }) },
    body: new URLSearchParams(form).toString(),
  });
  return answerOf(response);
}

export async function register(server: StartedOAuth, metadata: object = {}): Promise<Answer> {
  const response = await server.fetch(`${origin}/.auth/idp/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Agent',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  });
  return answerOf(response);
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : { text } };
}

export const clientId = async (server: StartedOAuth): Promise<string> =>
  String((await register(server)).body['client_id']);

/** A client that has sent a person to the server. */
export interface Flow {
  readonly verifier: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly url: URL;
}

/** An authorization request; a parameter that is empty is left out. */
export function begin(id: string, changes: Record<string, string> = {}): Flow {
  const verifier = randomBytes(32).toString('base64url');
  const all = {
    response_type: 'code',
    client_id: id,
    redirect_uri: callback,
    scope: 'mcp',
    state: 'xyz',
    resource: mcp,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  const parameters = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  const url = new URL(`${origin}/.auth/idp/oauth/authorize?${new URLSearchParams(parameters)}`);
  return { verifier, parameters, url };
}

/** The whole way to where the client gets its answer, by someone who allows it. */
export async function consent(server: StartedOAuth, flow: Flow, name = 'alice'): Promise<Shown> {
  const browser = new Browser(server);
  await browser.signIn(name);
  const asked = await browser.open(flow.url);
  return asked.text.includes('decision') ? browser.send(asked, { decision: 'allow' }) : asked;
}

/** What the client sends for its tokens. */
export const exchange = (flow: Flow, code: string, changes: Record<string, string> = {}): Record<string, string> => ({
  grant_type: 'authorization_code',
  client_id: flow.parameters['client_id'] ?? '',
  redirect_uri: callback,
  code,
  code_verifier: flow.verifier,
  ...changes,
});

export interface Tokens {
  readonly id: string;
  readonly access: string;
  readonly refresh: string;
  readonly flow: Flow;
  readonly code: string;
}

/** A client with the tokens of someone. */
export async function connect(
  server: StartedOAuth,
  options: { id?: string; name?: string; resource?: string } = {},
): Promise<Tokens> {
  const { id = await clientId(server), name = 'alice', resource = mcp } = options;
  const flow = begin(id, { resource });
  const code = (await consent(server, flow, name)).url.searchParams.get('code') ?? '';
  const { body } = await post(server, 'token', exchange(flow, code));
  return { id, flow, code, access: String(body['access_token']), refresh: String(body['refresh_token']) };
}
