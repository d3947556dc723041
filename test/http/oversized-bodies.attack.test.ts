import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { RepositoryBuilder } from '@sextant/contracts/testing';
import { builtInEndpoints } from '@sextant/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requestTimes } from '../../host/src/http/listening/request-times.ts';
import { start } from '../../host/src/testing/run-sextant.ts';
import type { Running } from '../../host/src/testing/run-sextant.ts';
import { scratch } from '../../host/src/testing/scratch.ts';
import type { Scratch } from '../../host/src/testing/scratch.ts';
import { loadPreset } from '../support/preset.ts';

/** A quarter of the default, so that the bodies beyond it are soon sent. */
const requestBytes = 1024 * 1024;

let place: Scratch;
let server: Running;
let url: URL;
let token: string;
beforeAll(async () => {
  place = await scratch();
  new RepositoryBuilder({ folder: place.path('shop') }).commit({ files: { 'a.ts': 'export const a = 1;\n' } });
  await place.write(
    'sextant.config.json',
    JSON.stringify({ repositories: [{ path: 'shop' }], limits: { requestBytes } }),
  );
  server = start(['serve', '--port', '0'], { cwd: place.folder });
  const [text, address = '', shown = ''] = await server.untilWritten('stdout', /serves (\S+)[^]*(sxt_\w+)[^]*\ncurl:/);
  expect(text).toContain('curl');
  [url, token] = [new URL(address), shown];
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

/** Every route of the preset that takes a body; a new one is among them by itself. */
async function routes(): Promise<{ method: string; path: string }[]> {
  const pages = (await loadPreset()).flatMap((plugin) => plugin.pages).filter(({ method }) => method !== 'GET');
  const endpoints = Object.values(builtInEndpoints).map((path) => ({ method: 'POST', path }));
  return [...pages, ...endpoints].map(({ method, path }) => ({ method, path: path.replaceAll(/:\w+|\*\*/g, 'x') }));
}

const piece = Buffer.alloc(64 * 1024, 'a');
const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
const pieces = requestBytes / piece.length + 1;

/** Bodies beyond what a route takes (`requestBytes`, less for a form), whole, cut off or stopped; each sends until nobody reads. */
const bodies: Readonly<Record<string, { head: string; parts: readonly Buffer[]; end: 'wait' | 'cut' | 'stop' }>> = {
  'with its length': {
    head: `Content-Length: ${pieces * piece.length}`,
    parts: Array(pieces).fill(piece),
    end: 'wait',
  },
  'in chunks': {
    head: 'Transfer-Encoding: chunked',
    parts: [...Array(pieces).fill(chunk), Buffer.from('0\r\n\r\n')],
    end: 'wait',
  },
  'of a form': {
    head: 'Content-Length: 200000\r\nContent-Type: application/x-www-form-urlencoded',
    parts: [Buffer.alloc(200_000, 'a')],
    end: 'wait',
  },
  'cut off with its length': { head: `Content-Length: ${pieces * piece.length}`, parts: [piece, piece], end: 'cut' },
  'cut off in chunks': { head: 'Transfer-Encoding: chunked', parts: [chunk, chunk], end: 'cut' },
  'that stops': { head: 'Content-Length: 200000', parts: [Buffer.from('a')], end: 'stop' },
};

interface Sent {
  readonly socket: Socket;
  readonly answered: Promise<string>;
}

async function send(
  route: { method: string; path: string },
  body: (typeof bodies)[string],
  auth: string,
): Promise<Sent> {
  const socket = connect(Number(url.port), url.hostname);
  let text = '';
  socket.on('data', (data) => (text += String(data))).on('error', () => undefined);
  const answered = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  socket.write(
    `${route.method} ${route.path} HTTP/1.1\r\nHost: ${url.host}\r\nOrigin: ${url.origin}\r\nConnection: close\r\n`,
  );
  socket.write(`Content-Type: application/json\r\n${auth}${body.head}\r\n\r\n`);
  for (const part of body.parts)
    if (socket.writable && !socket.write(part)) await Promise.race([drained(socket), answered]);
  if (body.end === 'cut') socket.destroy();
  return { socket, answered };
}

const drained = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('drain', resolve));

test('a body that is too large, slow or cut off, sent to every route, ends nothing and is no error of the server', async () => {
  const all = await routes();
  expect(all.length).toBeGreaterThan(25);
  const stopped: Socket[] = [];
  // Whole ones are read further where somebody may send them.
  for (const [name, body] of Object.entries(bodies))
    for (const auth of body.end === 'stop' ? [''] : ['', `Authorization: Bearer ${token}\r\n`])
      await Promise.all(
        all.map(async (route) => {
          const { socket, answered } = await send(route, body, auth);
          if (body.end === 'stop') stopped.push(socket);
          if (body.end === 'wait')
            expect([name, route.path, await answered]).toEqual([
              name,
              route.path,
              expect.stringMatching(/^(HTTP\/1\.1 \d{3}|$)/),
            ]);
        }),
      );
  // What is checked in the background is checked then.
  await setTimeout(requestTimes.connectionsCheckingInterval + 500);
  expect((await fetch(`${url.origin}/healthz`)).status).toBe(200);
  expect(server.process.exitCode).toBeNull();
  expect(server.written.stderr).not.toMatch(/nobody caught|"level":"error"/);
  for (const socket of stopped) socket.destroy();
});
