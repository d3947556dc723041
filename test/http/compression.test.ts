import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { definePage, definePlugin } from '@sextant/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const text = '<p>the same again and again</p>'.repeat(500);

const page = (path: string, respond: () => Response) =>
  definePage({ name: path, method: 'GET', path, access: 'anyone', needs: {}, respond: async () => respond() });

const ofType = (contentType: string): Response => new Response(text, { headers: { 'content-type': contentType } });
const stopped = Promise.withResolvers<void>();

const pages = [
  page('/html', () => ofType('text/html; charset=utf-8')),
  page('/image', () => ofType('image/png')),
  page('/events', () => ofType('text/event-stream')),
  page('/empty', () => new Response(null, { status: 204, headers: { 'content-type': 'text/html' } })),
  page('/endless', () => {
    const pull = (controller: ReadableStreamDefaultController): void => controller.enqueue(Buffer.from(text));
    const body = new ReadableStream({ pull, cancel: () => stopped.resolve() });
    return new Response(body, { headers: { 'content-type': 'text/plain' } });
  }),
];

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ plugins: [definePlugin({ name: 'page-test', pages })] });
});
afterAll(() => server.close());

/** Without the client's own decoding. */
function get(path: string, acceptEncoding: string): Promise<{ headers: NodeJS.Dict<string | string[]>; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}${path}`,
      { headers: { 'accept-encoding': acceptEncoding } },
      async (response) => {
        resolve({ headers: response.headers, body: Buffer.concat(await response.toArray()) });
      },
    );
    sent.once('error', reject);
    sent.end();
  });
}

test.each([
  ['gzip, deflate, br', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['br;q=0, gzip;q=0.5', 'gzip', gunzipSync],
] as const)('a page for a client that accepts %j is sent as %s', async (accepts, encoding, decode) => {
  const { headers, body } = await get('/html', accepts);
  expect([headers['content-encoding'], headers['vary']]).toEqual([encoding, 'accept-encoding']);
  expect(body.length).toBeLessThan(text.length / 10);
  expect(decode(body).toString()).toBe(text);
});

test('a client that accepts nothing gets the page as it is', async () => {
  for (const accepts of ['', 'identity', 'gzip;q=0', 'br;q=0.0']) {
    const { headers, body } = await get('/html', accepts);
    expect([headers['content-encoding'], body.toString()]).toEqual([undefined, text]);
  }
});

test('images, streams of events and answers without a body stay as they are', async () => {
  for (const path of ['/image', '/events', '/empty'])
    expect((await get(path, 'br, gzip')).headers['content-encoding'], path).toBeUndefined();
});

test('a page that has no end stops when the client goes away', async () => {
  const going = new AbortController();
  const { body } = await fetch(`${server.url}/endless`, { signal: going.signal });
  await body?.getReader().read();
  going.abort();
  await stopped.promise;
});
