import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { definePage, definePlugin } from '@sextant/core';
import { afterEach, expect, test } from 'vitest';
import { requestTimes } from '../../host/src/http/listening/request-times.ts';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
import { tools, waitingTool } from './support/tools.ts';

const sockets: Socket[] = [];
afterEach(() => sockets.splice(0).forEach((socket) => socket.destroy()));

interface Connection {
  readonly socket: Socket;
  /** All that was received, once the other side has ended the connection. */
  readonly ended: Promise<string>;
  /** Resolves when what was received matches. */
  until(pattern: RegExp): Promise<string>;
}

function open({ url }: TestServer, text: string | Buffer = ''): Connection {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  let received = '';
  // What is sent after the server has let go is lost.
  socket.on('data', (data) => (received += String(data))).on('error', () => undefined);
  if (text !== '') socket.write(text);
  return {
    socket,
    ended: new Promise((resolve) => socket.once('close', () => resolve(received))),
    until: (pattern) =>
      expect
        .poll(() => received)
        .toMatch(pattern)
        .then(() => received),
  };
}

const get = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';
const isAnswered = /^HTTP\/1\.1 200 /;

test('an address has no more connections than it may: 429 that says what to do, and one that is closed makes room', async () => {
  await using server = await startServer({ settings: { limits: { connections: 100, connectionsPerAddress: 3 } } });
  const held = [1, 2, 3].map(() => open(server, get));
  for (const { until } of held) await until(isAnswered);
  const refused = await open(server).ended;
  expect(refused).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n[^]*Retry-After: 1\r\n/);
  expect(refused).toMatch(/your address has 3 open connections, the most it may have; .* trustedProxies\n$/);
  held[0]?.socket.destroy();
  const status = (): Promise<number> =>
    fetch(`${server.url}/healthz`).then(
      (response) => response.status,
      () => 0,
    );
  await expect.poll(status).toBe(200);
});

test('no address has more than half of all connections; a trusted proxy may have all, and then nobody more', async () => {
  const limits = { connections: 4, connectionsPerAddress: 1000 };
  await using alone = await startServer({ settings: { limits } });
  for (const { until } of [1, 2].map(() => open(alone, get))) await until(isAnswered);
  expect(await open(alone, get).ended).toMatch(/^HTTP\/1\.1 429 /);
  await using server = await startServer({ settings: { limits, trustedProxies: ['127.0.0.0/8'] } });
  for (const { until } of [1, 2, 3, 4].map(() => open(server, get))) await until(isAnswered);
  expect(await open(server, get).ended).toBe('');
});

test('an answer that nobody reads is let go', async () => {
  const gone = Promise.withResolvers<string>();
  const endless = definePage({
    name: 'endless',
    method: 'GET',
    path: '/endless',
    access: 'anyone',
    needs: {},
    respond: async () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
          cancel: () => gone.resolve('let go'),
        }),
      ),
  });
  await using server = await startServer({
    plugins: [definePlugin({ name: 'endless', pages: [endless] })],
    settings: { limits: { callSeconds: 0.1 } },
    times: { ...requestTimes, quietMs: 300 },
  });
  open(server, 'GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n').socket.pause();
  expect(await gone.promise).toBe('let go');
});

test('a caller with many event streams has as many as calls in flight; others are answered', async () => {
  const { plugin, calls } = waitingTool();
  await using server = await startServer({ plugins: [tools, plugin] });
  const gone = new AbortController();
  const options = { headers: { accept: 'text/event-stream' }, signal: gone.signal };
  const statuses: number[] = [];
  const flood = Array.from({ length: 60 }, (_, id) =>
    post(server.url, call('wait', {}, id), options).then(
      ({ status }) => statuses.push(status),
      () => 'cut off',
    ),
  );
  await expect.poll(() => statuses).toEqual(Array(60 - 16).fill(429));
  expect(calls.length).toBe(16);
  const answer = await post(server.url, call('read_lines', { path: 'a' }), { token: 'bob-token' });
  expect(answer.status).toBe(200);
  gone.abort();
  await Promise.all(flood);
  await expect.poll(async () => (await post(server.url, call('read_lines', { path: 'a' }))).status).toBe(200);
});

const upload = (length: number, framing = `Content-Length: ${length}`): string =>
  `POST /.api/mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`;

test('uploads that are large count as calls before they are read, and 200 that are cut off keep nobody out', async () => {
  await using server = await startServer({ plugins: [tools] });
  const piece = Buffer.alloc(128 * 1024, ' ');
  const chunked = `${piece.length.toString(16)}\r\n`;
  const flood = Array.from({ length: 200 }, (_, index) =>
    index % 2 === 0
      ? open(server, Buffer.concat([Buffer.from(upload(2 * piece.length)), piece]))
      : open(server, Buffer.concat([Buffer.from(upload(0, 'Transfer-Encoding: chunked') + chunked), piece])),
  );
  let refused = 0;
  for (const { socket } of flood)
    socket.once('data', (text) => (refused += String(text).startsWith('HTTP/1.1 429') ? 1 : 0));
  const answer = await post(server.url, call('read_lines', { path: 'a' }), { token: 'bob-token' });
  expect(answer.status).toBe(200);
  await expect.poll(() => refused).toBe(200 - 16);
  for (const { socket } of flood) socket.destroy();
  await expect.poll(async () => (await post(server.url, call('read_lines', { path: 'a' }))).status).toBe(200);
});

test.each(['read in part', 'read by nobody'])(
  'a body that was %s holds up no request after it, which may be anyone’s behind a proxy',
  async (how) => {
    const refusing = definePage({
      name: 'refusing',
      method: 'POST',
      path: '/refusing',
      access: 'anyone',
      needs: {},
      respond: async ({ body }) => {
        if (how === 'read in part') for await (const _ of body ?? []) break;
        return new Response('refused', { status: 400 });
      },
    });
    await using server = await startServer({ plugins: [definePlugin({ name: 'refusing', pages: [refusing] })] });
    const body = 'a'.repeat(3_000_000);
    const head = `POST /refusing HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`;
    const answers = await open(server, head + body + get).ended;
    expect(answers).toMatch(/^HTTP\/1\.1 400 [^]*\r\nconnection: close\r\n/i);
  },
);

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `a${index}: b\r\n`).join('');

test.each<[string, string, RegExp]>([
  ['10,000 lines of headers', `GET / HTTP/1.1\r\n${lines(10_000)}\r\n`, /^HTTP\/1\.1 431 /],
  ['a header of 1 MB', `GET / HTTP/1.1\r\nx: ${'y'.repeat(1_000_000)}\r\n\r\n`, /^(HTTP\/1\.1 431 |$)/],
  ['a header name with a line feed', 'GET / HTTP/1.1\r\nHost: a\r\nx\n: y\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', /^HTTP\/1\.1 400 /],
  [
    'a length and chunks',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    /^HTTP\/1\.1 400 /,
  ],
  ['no Host', 'GET /healthz HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['pipelined garbage', `${get}${'\u0000garbage\r\n'.repeat(100)}`, /HTTP\/1\.1 400 /],
  ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', /^$/],
  [
    'extensions of a chunk without end',
    `${upload(0, 'Transfer-Encoding: chunked')}1;${'x'.repeat(100_000)}`,
    /^(HTTP\/1\.1 4\d\d |$)/,
  ],
  ['a path that is no path', 'GET http://[::1 HTTP/1.1\r\nHost: a\r\n\r\n', /^HTTP\/1\.1 400 /],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /^(HTTP\/1\.1 [45]\d\d |$)/],
])('%s is refused, the connection ends, and others are answered', async (_name, request, answer) => {
  await using server = await startServer({
    times: { ...requestTimes, keepAliveTimeout: 100, connectionsCheckingInterval: 100 },
  });
  expect(await open(server, request).ended).toMatch(answer);
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});

test('an upgrade is not taken: the request is answered as any other', async () => {
  await using server = await startServer();
  const { until } = open(server, get.replace('\r\n\r\n', '\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'));
  expect(await until(isAnswered)).not.toContain('101');
});

test('floods of HEAD and OPTIONS, pipelined, are answered each', async () => {
  await using server = await startServer();
  const pair = ['HEAD', 'OPTIONS'].map((method) => get.replace('GET', method)).join('');
  const { until } = open(server, pair.repeat(500));
  await until(/(HTTP\/1\.1 200 [^]*?HTTP\/1\.1 405 [^]*?){500}/);
});
