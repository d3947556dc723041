import { defineAuthenticator, definePage, definePlugin, defineReport } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const cookies = defineAuthenticator({
  name: 'cookie',
  needs: {},
  isAmbient: true,
  authenticate: async ({ headers }) => (headers.get('cookie') === 'who=alice' ? callerOf('alice') : undefined),
});

const page = (method: 'GET' | 'POST' | 'DELETE', path: string, access: 'anyone' | { scope: 'all' }) =>
  definePage({
    name: `${method} ${path}`,
    method,
    path,
    access,
    needs: {},
    respond: async (_request, _services, { caller }) => new Response(caller.user.name || 'anyone'),
  });

const plugin = definePlugin({
  name: 'page-test',
  authenticators: [cookies],
  pages: [
    page('GET', '/own', { scope: 'all' }),
    page('POST', '/own', { scope: 'all' }),
    page('DELETE', '/own', { scope: 'all' }),
    page('POST', '/open', 'anyone'),
    page('GET', '/api/own', { scope: 'all' }),
    page('GET', '/sign-in', 'anyone'),
  ],
  reports: [
    defineReport({
      name: 'names',
      path: '/api/reports/names',
      query: z.object({}),
      needs: {},
      columns: () => ['Name'],
      async *rows(_query, _services, { caller }) {
        yield [[caller.user.name]];
      },
    }),
  ],
});

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [plugin] });
});
afterAll(() => server.close());

const send = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(`${server.url}${path}`, { method, redirect: 'manual', headers: { cookie: 'who=alice', ...headers } });

describe('what a browser sends by itself', () => {
  test('says who one is on pages and reports', async () => {
    expect(await (await send('/own')).text()).toBe('alice');
    expect(await (await send('/api/reports/names')).text()).toBe('Name\r\nalice\r\n');
  });

  test('never opens an MCP endpoint, not even to a page of this server', async () => {
    const headers = { origin: server.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
    for (const path of ['/.api/mcp', '/.api/mcp/all'])
      expect((await send(path, headers, 'POST')).status, path).toBe(401);
  });

  test.each([
    ['a page of this server', (url: string) => ({ origin: url, 'sec-fetch-site': 'same-origin' }), 200],
    ['a page of this server in an older browser', (url: string) => ({ origin: url }), 200],
    ['a page of this server behind its proxy', () => ({ origin: 'https://code.example.com' }), 200],
    ['nobody says which page', () => ({}), 401],
    ['another port of this machine', () => ({ origin: 'http://127.0.0.1:9', 'sec-fetch-site': 'same-site' }), 401],
    [
      'a page that only claims to be of this server',
      (url: string) => ({ origin: url, 'sec-fetch-site': 'cross-site' }),
      401,
    ],
    ['another site', () => ({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }), 403],
    ['a sandboxed frame', () => ({ origin: 'null', 'sec-fetch-site': 'cross-site' }), 403],
  ])('changes something only for a page of this server: %s', async (_who, headersFor, status) => {
    for (const method of ['POST', 'DELETE'])
      expect((await send('/own', headersFor(server.url), method)).status).toBe(status);
  });

  test('is not looked at where a foreign page calls what is for anyone', async () => {
    expect(await (await send('/open', { origin: 'http://127.0.0.1:9' }, 'POST')).text()).toBe('anyone');
  });
});

describe('who is not signed in', () => {
  const visit = (path: string, accept = 'text/html,*/*;q=0.8', method = 'GET'): Promise<Response> =>
    send(path, { cookie: '', accept }, method);

  test('is sent to sign in by a page, and from there back to it', async () => {
    const response = await visit('/own?a=1&b=%2F');
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      '/sign-in?return=%2Fown%3Fa%3D1%26b%3D%252F',
    ]);
  });

  test.each([
    ['a script', '/own', 'application/json', 'GET'],
    ['a form', '/own', 'text/html', 'POST'],
    ['an API', '/api/own', 'text/html', 'GET'],
    ['a report', '/api/reports/names', 'text/html', 'GET'],
    ['MCP', '/.api/mcp', 'text/html', 'GET'],
  ])('is told so by %s', async (_what, path, accept, method) => {
    expect((await visit(path, accept, method)).status).toBe(401);
  });

  test('is told so where no plugin has a page to sign in', async () => {
    await using without = await startServer({
      plugins: [definePlugin({ name: 'page-alone', pages: plugin.pages.slice(0, 1) })],
    });
    expect((await fetch(`${without.url}/own`, { headers: { accept: 'text/html' } })).status).toBe(401);
  });
});
