import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../testing/run-sextant.ts';
import type { Running } from '../testing/run-sextant.ts';
import { configOf, pluginSource, scratch } from '../testing/scratch.ts';
import type { Scratch } from '../testing/scratch.ts';

/** Where nothing catches; each throws the error of its name. */
const places: Readonly<Record<string, string>> = {
  'a timer': `setTimeout(() => { throw fail(); })`,
  'an immediate': `setImmediate(() => { throw fail(); })`,
  'a tick': `process.nextTick(() => { throw fail(); })`,
  'a microtask': `queueMicrotask(() => { throw fail(); })`,
  'a promise': `void Promise.reject(fail())`,
  'an event handler': `setImmediate(() => new EventEmitter().on('x', () => { throw fail(); }).emit('x'))`,
  'an error that nobody listens for': `setImmediate(() => new EventEmitter().emit('error', fail()))`,
  'a stream': `Readable.from(['x']).on('data', () => { throw fail(); })`,
  'a connection': `createServer((socket) => { socket.on('data', () => { throw fail(); }); }).listen(0, '127.0.0.1', function () { connect(this.address().port, '127.0.0.1').on('error', () => {}).end('x'); }).unref()`,
  'an answer of a file': `readFile('/nowhere', () => { throw fail(); })`,
  'a thread': `new Worker('throw new Error("' + name + '")', { eval: true })`,
  'a program that is not there': `spawn('/no-such-program/' + name)`,
};

/** What is thrown besides errors; the last one throws when it is looked at. */
const things: Readonly<Record<string, string>> = {
  undefined: 'undefined',
  null: 'null',
  'a text': `'text'`,
  'a symbol': `Symbol('x')`,
  'an object of no kind': 'Object.create(null)',
  'what throws when it is looked at': `new Proxy(new Error('x'), { get() { throw new Error('no'); }, getPrototypeOf() { throw new Error('no'); } })`,
};

const entries = (cases: Readonly<Record<string, string>>, body: (code: string) => string): string =>
  Object.entries(cases)
    .map(([name, code]) => `${JSON.stringify(name)}: (name) => { ${body(code)}; }`)
    .join(', ');

const plugin = `
import { spawn } from 'node:child_process'; import { EventEmitter } from 'node:events'; import { readFile } from 'node:fs';
import { connect, createServer } from 'node:net'; import { Readable } from 'node:stream'; import { Worker } from 'node:worker_threads';
import { definePage } from '@sextant/core'; import { defineAuthenticator } from '@sextant/core'; import { callerOf } from '@sextant/core/testing'; import { Principals } from '@sextant/core';
const anyone = defineAuthenticator({ name: 'anyone', needs: {}, authenticate: async () => callerOf('ann') });
const throwers = {
  ${entries(places, (code) => `const fail = () => new Error(name); ${code}`)},
  ${entries(things, (code) => `setImmediate(() => { throw ${code}; })`)},
};
const boom = definePage({ name: 'boom', method: 'POST', path: '/boom', access: 'anyone', needs: {},
  respond: async (request) => { const name = await request.text(); throwers[name](name); return new Response(''); } });
const tick = defineTool({ name: 'tick', title: 'Tick', description: 'Throws in a timer.', endpoints: ['default'], needs: {}, input: z.object({}), output: z.object({}),
  run: async () => { setTimeout(() => { throw new Error('a timer'); }); void Promise.reject(new Error('a promise')); return {}; }, toText: () => 'ticked' });
${pluginSource(
  'throwing',
  'fine',
  `authenticators: [anyone], pages: [boom], provides: { users: Principals }, start: async () => ({ users: { value: { named: async (name) => callerOf(name) } } }),`,
).replace('tools: [tool]', 'tools: [tool, tick]')}`;

let place: Scratch;
let server: Running;
let url: string;
beforeAll(async () => {
  place = await scratch();
  await place.write('throwing.ts', plugin);
  await place.write('sextant.config.json', configOf({ './throwing.ts': {} }));
  server = start(['serve', '--port', '0'], { cwd: place.folder });
  [, url = ''] = await server.untilWritten('stdout', /^Sextant serves (\S+)\n/);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await place[Symbol.asyncDispose]();
});

const message = (id: number, name: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: {} } });

const headers = { 'content-type': 'application/json', accept: 'application/json' };
const answer = async (): Promise<string> =>
  (await fetch(`${url}/.api/mcp`, { method: 'POST', headers, body: message(1, 'throwing') })).text();

const inLog = (text: string): object[] =>
  text.split('\n').flatMap((line): object[] => (line.includes('nobody caught') ? [JSON.parse(line)] : []));

test.each([...Object.keys(places), ...Object.keys(things)])(
  'a throw in %s is logged with an id, and everyone is answered',
  async (name) => {
    const before = inLog(server.written.stderr).length;
    await fetch(`${url}/boom`, { method: 'POST', body: name });
    await expect.poll(() => inLog(server.written.stderr).length).toBe(before + 1);
    expect(inLog(server.written.stderr).at(-1)).toMatchObject({
      level: 'error',
      errorId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      origin: expect.stringMatching(/^(uncaughtException|unhandledRejection)$/),
      msg: expect.stringContaining(name in places ? name : 'nobody caught'),
    });
    expect(await answer()).toContain('fine');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  },
);

test('a throw that nobody catches ends no local client either', async () => {
  await using local = start(['stdio'], { cwd: place.folder, input: `${message(1, 'tick')}\n` });
  await expect.poll(() => inLog(local.written.stderr).length).toBe(2);
  const { code, stdout } = await local.ended;
  expect([code, stdout]).toEqual([0, expect.stringContaining('ticked')]);
});
