import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { definePage, definePlugin, silentLogger } from '@sextant/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../host/src/http/listening/listen.ts';
import type { Listener } from '../../host/src/http/listening/listen.ts';
import { requestTimes } from '../../host/src/http/listening/request-times.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';

const pieceMs = 200;
const times = {
  ...requestTimes,
  requestTimeout: 6 * pieceMs,
  headersTimeout: 6 * pieceMs,
  connectionsCheckingInterval: pieceMs,
  quietMs: 4 * pieceMs,
};
const pieces = 12;

const page = (name: string, readsBodyInPieces: boolean): ReturnType<typeof definePage> =>
  definePage({
    name,
    method: 'POST',
    path: `/${name}`,
    access: { scope: 'all' },
    readsBodyInPieces,
    needs: {},
    respond: async (request) => new Response((await request.text()).length.toString()),
  });

let server: TestServer;
let listener: Listener;
beforeAll(async () => {
  const plugin = definePlugin({ name: 'uploads', pages: [page('large', true), page('small', false)] });
  server = await startServer({ plugins: [plugin], settings: { limits: { callSeconds: 0.1 } } });
  listener = await listen({
    serving: server.serving,
    host: '127.0.0.1',
    port: 0,
    folder: '/',
    log: silentLogger,
    times,
  });
});
afterAll(async () => {
  await listener.close(100);
  await server.close();
});

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, pieceMs));

/** The head of a request with `pieces` bytes to come. */
function begin(path: string): Socket {
  const socket = connect(Number(new URL(listener.url).port), '127.0.0.1');
  // What is sent after the server has let go is lost.
  socket.on('error', () => undefined);
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\n`);
  socket.write(`Connection: close\r\nContent-Length: ${pieces}\r\n\r\n`);
  return socket;
}

async function answerTo(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (data) => (text += String(data)));
  await once(socket, 'close');
  return text;
}

async function sendSlowly(socket: Socket): Promise<void> {
  for (let sent = 0; sent < pieces; sent += 1) {
    socket.write('x');
    await pause();
  }
}

test('a body that takes longer than may be is answered 408', async () => {
  const socket = begin('/small');
  const [answer] = await Promise.all([answerTo(socket), sendSlowly(socket)]);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});

test('one that a page reads in pieces may take longer while it comes', async () => {
  const socket = begin('/large');
  const [answer] = await Promise.all([answerTo(socket), sendSlowly(socket)]);
  expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*\r\n12\r\n/);
});

test('one that comes no more is answered 408 there too', async () => {
  const socket = begin('/large');
  socket.write('xxxx');
  expect(await answerTo(socket)).toMatch(/^HTTP\/1\.1 408 /);
});
