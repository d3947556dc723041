import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { externalURL, startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** `fetch` sets Host and Origin itself. */
function statusWith(headers: Record<string, string>, path = '/healthz'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sending = request(`${server.url}${path}`, { headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    });
    sending.once('error', reject).end();
  });
}

const port = (): string => new URL(server.url).port;

test.each(['localhost', '127.0.0.1', '127.1.2.3', '[::1]', 'me.localhost'])(
  'on loopback, the Host %s is this machine',
  async (host) => {
    expect(await statusWith({ host: `${host}:${port()}` })).toBe(200);
  },
);

test('the host of externalURL is a name of the server', async () => {
  expect(await statusWith({ host: new URL(externalURL).host })).toBe(200);
});

test.each([
  'evil.example',
  'evil.example:80',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  '10.0.0.1',
  'localhost@evil.example',
])('on loopback, the Host %j is 403 (DNS rebinding)', async (host) => {
  expect(await statusWith({ host })).toBe(403);
  expect(await statusWith({ host }, '/.api/mcp')).toBe(403);
});

test.each([externalURL, 'http://localhost:3000', 'http://127.0.0.1'])('the Origin %s is allowed', async (origin) => {
  expect(await statusWith({ origin })).toBe(200);
});

test('the own origin is allowed', async () => {
  expect(await statusWith({ origin: server.url })).toBe(200);
});

test.each([
  'https://evil.example',
  'null',
  '',
  'https://code.example.com.evil.example',
  'http://code.example.com',
  'https://code.example.com:8443',
  'file://',
])('the Origin %j is 403', async (origin) => {
  expect(await statusWith({ origin })).toBe(403);
  expect(await statusWith({ origin }, '/.api/mcp')).toBe(403);
});
