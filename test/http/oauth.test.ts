import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Directory, Sessions } from '@sextant/contracts';
import { expect, test } from 'vitest';
import { AgentProvider } from '../../plugins/auth/oauth/src/testing/agent-provider.ts';
import { loadPreset } from '../support/preset.ts';
import { externalURL, startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const names = ['service-sqlite', 'service-directory', 'service-sessions', 'auth-oauth'];
const plugins = await loadPreset(names);
const configs = { 'service-directory': { users: [{ name: 'alice' }] } };
const mcp = `${externalURL}/.api/mcp`;

/** The server is reached under the URL that the configuration gives it, as behind a proxy. */
const fetchFrom =
  (server: TestServer): typeof fetch =>
  (input, init) =>
    fetch(String(input instanceof Request ? input.url : input).replace(externalURL, server.url), init);

/** Someone who is signed in opens the page to which the client sent them, and allows it. */
async function allow(server: TestServer, sentTo: URL): Promise<URL> {
  const { sessions, directory } = server.serving.current.assembly.services.resolve({
    sessions: Sessions,
    directory: Directory,
  });
  const alice = await directory.find('alice');
  const cookies = [await sessions.begin(alice?.id ?? 0, new Request(externalURL))];
  const open = async (url: URL, body?: URLSearchParams): Promise<{ url: URL; text: string }> => {
    const cookie = cookies.map((each) => each.split(';')[0]).join('; ');
    const init = {
      redirect: 'manual' as const,
      headers: { cookie, origin: externalURL },
      ...(body && { method: 'POST', body }),
    };
    const response = await fetchFrom(server)(url, init);
    cookies.push(...response.headers.getSetCookie());
    const next = new URL(response.headers.get('location') ?? '', url);
    if (!response.headers.has('location') || next.origin !== externalURL)
      return { url: next, text: await response.text() };
    return open(next);
  };
  const { text, url } = await open(sentTo);
  const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec(text) ?? [];
  const [, action = ''] = /action="(\/\.auth\/idp\/consent\/[^"]*)"/.exec(text) ?? [];
  return (await open(new URL(action, url), new URLSearchParams({ csrf, decision: 'allow' }))).url;
}

const connect = async (server: TestServer, authProvider: AgentProvider): Promise<Client> => {
  const client = new Client({ name: 'agent', version: '1' });
  // The SDK declares what its own interface does not take under exactOptionalPropertyTypes.
  const transport = new StreamableHTTPClientTransport(new URL(mcp), { authProvider, fetch: fetchFrom(server) });
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
};

test('an MCP client connects with nothing but the URL: the 401 leads it to a token, and the token to the tools', async () => {
  await using server = await startServer({ plugins, configs });
  const provider = new AgentProvider();
  await expect(connect(server, provider)).rejects.toThrow(UnauthorizedError);
  const answered = await allow(server, provider.sentTo ?? new URL(mcp));
  const transport = new StreamableHTTPClientTransport(new URL(mcp), {
    authProvider: provider,
    fetch: fetchFrom(server),
  });
  await transport.finishAuth(answered.searchParams.get('code') ?? '');
  const client = await connect(server, provider);
  expect((await client.listTools()).tools).toEqual([]);
  await client.close();
});

test('a change of the configuration counts at once: self-registered clients are out, then the endpoint is', async () => {
  await using server = await startServer({ plugins, configs });
  const provider = new AgentProvider();
  await expect(connect(server, provider)).rejects.toThrow(UnauthorizedError);
  const code = (await allow(server, provider.sentTo ?? new URL(mcp))).searchParams.get('code') ?? '';
  await new StreamableHTTPClientTransport(new URL(mcp), {
    authProvider: provider,
    fetch: fetchFrom(server),
  }).finishAuth(code);
  const headers = { authorization: `token ${provider.kept?.access_token}`, 'content-type': 'application/json' };
  const list = { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }) };
  const register = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  const answers = async (): Promise<string[]> =>
    Promise.all(
      (
        [
          ['/.api/mcp', list],
          ['/.api/mcp/all', list],
          ['/.auth/idp/oauth/register', register],
        ] as const
      ).map(async ([path, init]) => {
        const answer = await fetch(server.url + path, init);
        return `${answer.status} ${(await answer.text()).slice(0, 9)}`;
      }),
    );
  expect(await answers()).toEqual(['200 {"jsonrpc', '401 {"error":', '400 {"error":']);
  await server.reload({ plugins, configs, settings: { 'auth.idpDynamicClientRegistrationEnabled': false } });
  expect(await answers()).toEqual(['401 {"error":', '401 {"error":', '404 not found']);
  await server.reload({ plugins, configs });
  expect(await answers()).toEqual(['200 {"jsonrpc', '401 {"error":', '400 {"error":']);
  await server.reload({ plugins, configs, settings: { 'mcp.enabled': false } });
  expect(await answers()).toEqual(['404 no route', '404 no route', '404 not found']);
});

test('MCP is restricted to a role: taken from User and given to a team, it counts for the next call of a token that is out already', async () => {
  await using server = await startServer({ plugins, configs });
  const provider = new AgentProvider();
  await expect(connect(server, provider)).rejects.toThrow(UnauthorizedError);
  const code = (await allow(server, provider.sentTo ?? new URL(mcp))).searchParams.get('code') ?? '';
  await new StreamableHTTPClientTransport(new URL(mcp), {
    authProvider: provider,
    fetch: fetchFrom(server),
  }).finishAuth(code);
  const headers = { authorization: `Bearer ${provider.kept?.access_token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const answer = async (directory: object): Promise<string> => {
    await server.reload({ plugins, configs: { 'service-directory': directory } });
    const response = await fetch(`${server.url}/.api/mcp`, { method: 'POST', headers, body });
    return `${response.status} ${(await response.text()).slice(0, 9)}`;
  };
  const roles = { User: { permissions: [] }, team: { permissions: ['MCP#ACCESS'] } };
  expect(await answer({ users: [{ name: 'alice' }] })).toBe('200 {"jsonrpc');
  expect(await answer({ users: [{ name: 'alice' }], roles })).toBe('403 forbidden');
  expect(await answer({ users: [{ name: 'alice', roles: ['team'] }], roles })).toBe('200 {"jsonrpc');
  expect(await answer({ users: [], roles })).toBe('401 {"error":');
});

test('a token in a URL or in a form opens nothing, and is written to no log', async () => {
  const lines: string[] = [];
  const record = (fields: object, message: string): void => void lines.push(JSON.stringify([fields, message]));
  const log = { debug: record, info: record, warn: record, error: record };
  await using server = await startServer({ plugins, configs, log });
  const provider = new AgentProvider();
  await expect(connect(server, provider)).rejects.toThrow(UnauthorizedError);
  const code = (await allow(server, provider.sentTo ?? new URL(mcp))).searchParams.get('code') ?? '';
  await new StreamableHTTPClientTransport(new URL(mcp), {
    authProvider: provider,
    fetch: fetchFrom(server),
  }).finishAuth(code);
  const token = provider.kept?.access_token ?? '';
  const json = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  const answers = await Promise.all(
    ['access_token', 'token', 'authorization', 'bearer'].flatMap((name) => [
      fetch(`${server.url}/.api/mcp?${name}=${token}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: json,
      }),
      fetch(`${server.url}/.api/mcp`, { method: 'POST', body: new URLSearchParams({ [name]: token }) }),
      fetch(`${server.url}/.auth/idp/oauth/userinfo`, { method: 'POST', body: new URLSearchParams({ [name]: token }) }),
    ]),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 401));
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  expect((await fetch(`${server.url}/.api/mcp`, { method: 'POST', headers, body: json })).status).toBe(200);
  expect(lines.join('\n')).not.toContain(token);
  expect(lines.join('\n')).not.toContain(code);
});

const form = 'application/x-www-form-urlencoded';

/** What no client sends: bodies of other types, parameters that are missing, repeated, or no text. */
const oddBodies: readonly (readonly [type: string, body: string | Uint8Array<ArrayBuffer>])[] = [
  [form, ''],
  [form, 'xsrf=&user_code=&confirm=yes'],
  [form, 'client_id=a&client_id=b&xsrf=a&xsrf=b'],
  [form, '%ff=%ff&%&client_id=%00&token=%00&grant_type=constructor'],
  [form, 'client_id=__proto__&token=a&token_type_hint=__proto__'],
  [form, Uint8Array.of(97, 61, 255, 254)],
  [`${form}; charset=utf-16`, 'a=b'],
  ['application/json', '{"redirect_uris":["http://127.0.0.1/"],"grant_types":["x"],"response_types":["y"]}'],
  ['application/json', 'null'],
  ['application/json', '['.repeat(50_000)],
  ['multipart/form-data', '--x'],
  ['a/b/c;;;=', 'a'],
];
const oddQueries = ['', '?a=1&a=2', '?client_id=%00&user_code=%FF', '?client_id=https://%00/&response_type=code'];

test('whatever is sent to the pages of signing in, it is no failure of the server', async () => {
  const errors: string[] = [];
  const noted = (fields: object, message: string): void => void errors.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: noted };
  const all = await loadPreset([...names, 'auth-password', 'service-audit']);
  await using server = await startServer({ plugins: all, configs, log, settings: { trustedProxies: ['127.0.0.0/8'] } });
  const paths = all.flatMap(({ pages }) =>
    pages.flatMap(({ path }) => [path.replaceAll(/:\w+|\*\*/g, 'x'), path.replaceAll(/:\w+|\*\*/g, 'x/%00')]),
  );
  let sent = 0;
  const failures = new Set<string>();
  const send = async (method: string, path: string, body?: (typeof oddBodies)[number]): Promise<void> => {
    sent += 1;
    // From many addresses, so that no limit answers instead.
    const headers: Record<string, string> = { 'x-forwarded-for': `10.0.${sent >> 8}.${sent & 255}` };
    if (sent % 2 === 0) headers['accept'] = 'text/html';
    if (sent % 3 === 0) headers['cookie'] = '_session=x; _session.sig=y; =;=';
    if (body) headers['content-type'] = body[0];
    const init = { method, headers, redirect: 'manual' as const, ...(body && { body: body[1] }) };
    const { status } = await fetch(server.url + path, init);
    if (status >= 500) failures.add(`${method} ${path} ${body?.join(' ')}: ${status}`);
  };
  await Promise.all(
    [...new Set(paths)].map(async (path) => {
      for (const query of oddQueries) for (const method of ['GET', 'HEAD', 'OPTIONS']) await send(method, path + query);
      for (const body of oddBodies) for (const method of ['POST', 'PUT']) await send(method, path, body);
      await send('POST', path);
    }),
  );
  expect([...failures]).toEqual([]);
  expect(errors).toEqual([]);
});

test('a client registers at one path, and no other spelling of it goes round the rules', async () => {
  await using server = await startServer({ plugins, configs });
  const body = JSON.stringify({ redirect_uris: ['evil:x'], token_endpoint_auth_method: 'none' });
  const headers = { 'content-type': 'application/json' };
  const statuses = ['register', 'register/', '%72egister'].map(async (path) => {
    const answer = await fetch(`${server.url}/.auth/idp/oauth/${path}`, { method: 'POST', headers, body });
    return answer.status;
  });
  expect(await Promise.all(statuses)).toEqual([400, 404, 404]);
});
