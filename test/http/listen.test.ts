import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { definePlugin, defineTool, silentLogger } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { listen } from '../../host/src/http/listening/listen.ts';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import { waitingTool } from './support/tools.ts';

test('a port that is taken is an error that says what to do', async () => {
  await using server = await startServer();
  const port = Number(new URL(server.url).port);
  await expect(
    listen({ serving: server.serving, host: '127.0.0.1', port, folder: '/', log: silentLogger }),
  ).rejects.toThrow(`port ${port} of 127.0.0.1 is in use; stop what listens there, or choose another with --port`);
});

test('an address of another machine is an error that says what to do', async () => {
  await using server = await startServer();
  await expect(
    listen({ serving: server.serving, host: '192.0.2.1', port: 0, folder: '/', log: silentLogger }),
  ).rejects.toThrow(/^cannot listen on 192\.0\.2\.1, .*; choose another address with --host$/);
});

test('the address of IPv6 stands in brackets', async () => {
  await using server = await startServer();
  const listener = await listen({ serving: server.serving, host: '::1', port: 0, folder: '/', log: silentLogger });
  expect(listener.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
  await listener.close(100);
});

test('closing lets the answers in progress end, refuses new calls meanwhile, and does not wait for idle connections', async () => {
  const { plugin, finish, began } = finishingTool();
  const server = await startServer({ plugins: [plugin] });
  const agent = new Agent({ keepAlive: true });
  const [idle] = await once(get(`${server.url}/healthz`, { agent }), 'response');
  await once(idle.resume(), 'end');
  const answering = post(server.url, call('finish'));
  await began;
  const closing = server.close(60_000);
  const ready = await fetch(`${server.url}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([503, expect.objectContaining({ status: 'stopping' })]);
  const refused = await post(server.url, call('finish'));
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([
    503,
    '1',
    'close',
  ]);
  expect(await refused.text()).toContain('the server is stopping; try again in a moment');
  finish();
  expect((await answering).status).toBe(200);
  await closing;
  expect(await fetch(`${server.url}/healthz`).catch(() => 'refused')).toBe('refused');
  agent.destroy();
});

/** A tool that ends when the test says so. */
function finishingTool(): { plugin: Plugin; began: Promise<void>; finish: () => void } {
  const [began, finished] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const tool = defineTool({
    name: 'finish',
    title: 'Finish',
    description: 'Ends when told.',
    endpoints: ['default'],
    needs: {},
    input: z.object({}),
    output: z.object({}),
    run: async () => {
      began.resolve();
      await finished.promise;
      return {};
    },
    toText: () => 'finished',
  });
  return {
    plugin: definePlugin({ name: 'tool-finish', tools: [tool] }),
    began: began.promise,
    finish: finished.resolve,
  };
}

test('what takes longer than the grace is cut off', async () => {
  const { plugin, began } = waitingTool();
  const server = await startServer({ plugins: [plugin] });
  const answering = post(server.url, call('wait')).catch(() => 'cut off');
  const { signal } = await began();
  await server.close(10);
  expect(await answering).toBe('cut off');
  expect(signal.aborted).toBe(true);
});

test('a client that speaks no HTTP is answered 400 and let go', async () => {
  await using server = await startServer();
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.write('hello\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
  await once(socket, 'close');
});
