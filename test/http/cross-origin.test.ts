import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { tools } from './support/tools.ts';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const origin = 'https://inspector.example.com';
const asked = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'Authorization, content-type, mcp-protocol-version, cookie, x-other',
};

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [tools], settings: { 'cors.allowedOrigins': [origin] } });
});
afterAll(() => server.close());

const preflight = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(server.url + path, { method: 'OPTIONS', headers: { origin, ...asked, ...headers } });

describe('a page of an origin that the operator names', () => {
  test.each([
    '/.api/mcp',
    '/.api/mcp/',
    '/.api/mcp/all',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/.api/mcp',
    '/.auth/idp/oauth/register',
    '/.auth/idp/oauth/token',
  ])('may ask %s, without cookies, with the headers of MCP', async (path) => {
    const response = await preflight(path);
    expect(response.status).toBe(204);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version',
      vary: 'Origin',
    });
    expect(response.headers.has('access-control-allow-credentials')).toBe(false);
  });

  test('reads answers and challenges', async () => {
    const answer = await post(server.url, list, { headers: { authorization: 'Bearer alice-token', origin } });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    const refused = await post(server.url, list, { headers: { origin, authorization: 'Bearer bad' } });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, origin]);
    expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  test.each([
    '/',
    '/healthz',
    '/api/credits',
    '/search',
    '/.auth/idp/oauth/authorize',
    '/.auth/idp/oauth/userinfo',
    '/.auth/idp/consent/x',
    '/.api/mcp/nothing',
  ])('may not ask %s', async (path) => {
    const response = await preflight(path);
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
  });
});

test.each(['https://evil.example', 'http://inspector.example.com', `${origin}.evil.example`, `${origin}:8443`, 'null'])(
  'a page of %s may ask nothing',
  async (other) => {
    for (const path of ['/.api/mcp', '/.auth/idp/oauth/token']) {
      const response = await preflight(path, { origin: other });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    }
  },
);

test('without the setting nobody may', async () => {
  await using plain = await startServer({ plugins: [tools] });
  const response = await fetch(`${plain.url}/.api/mcp`, { method: 'OPTIONS', headers: { origin, ...asked } });
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});

test.each([
  'https://a.example/',
  'https://a.example/path',
  'a.example',
  '*',
  'https://user@a.example',
  'HTTPS://A.example',
])('%s is no origin that can be named', async (wrong) => {
  await expect(startServer({ settings: { 'cors.allowedOrigins': [wrong] } })).rejects.toThrow(/must be an origin/);
});
