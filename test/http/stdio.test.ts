import { PassThrough } from 'node:stream';
import { Assembly, builtInEndpoints, silentLogger, silentMetrics } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { Generation } from '../../host/src/server/generation.ts';
import { serveStdio } from '../../host/src/mcp/stdio.ts';
import { hostSettings } from '../../host/src/server/settings.ts';
import { call } from '../support/rpc.ts';
import { externalURL } from './support/server.ts';
import { tools, waitingTool } from './support/tools.ts';

const waiting = waitingTool();

/** A connection whose other end is the test. */
async function connect(settings: object = {}): Promise<Connection> {
  const assembly = await Assembly.start({
    plugins: [tools, waiting.plugin].map((plugin) => ({ plugin, config: {}, isOptional: false })),
    contextOf: () => ({ log: silentLogger, metrics: silentMetrics, dataFolder: '', externalURL, configFolder: '' }),
  });
  const generation = new Generation({ settings: hostSettings.parse(settings), externalURL, assembly });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const serving = { current: generation, configurationError: undefined };
  const ended = serveStdio({ serving, caller: callerOf('local'), log: silentLogger, input, output }).then(() =>
    output.end(),
  );
  return {
    send: (message) => input.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`),
    end: () => input.end(),
    answers: async () => {
      await ended;
      const text = Buffer.concat(await output.toArray()).toString();
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
    },
  };
}

interface Connection {
  send(message: object | string): void;
  end(): void;
  /** Everything that was answered when the connection has ended. */
  answers(): Promise<unknown[]>;
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'desktop', version: '1' } },
};

test('one local client has every tool, under its own name for itself', async () => {
  const connection = await connect();
  connection.send(initialize);
  connection.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  connection.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  connection.send(call('whoami', {}, 2));
  connection.end();
  const [first, list, who] = await connection.answers();
  expect(first).toMatchObject({
    id: 0,
    result: { protocolVersion: '2025-06-18', serverInfo: { name: 'sextant' }, instructions: expect.any(String) },
  });
  expect(list).toMatchObject({
    id: 1,
    result: { tools: ['missing', 'read_lines', 'steps', 'wait', 'whoami'].map((name) => ({ name })) },
  });
  expect(JSON.stringify(list)).not.toMatch(/ttlMs|execution|\$schema/);
  expect(who).toMatchObject({
    id: 2,
    result: { structuredContent: { user: 'local', client: 'desktop', endpoint: builtInEndpoints.all } },
  });
});

test('a call may be the very first line, and is answered though the input has ended, also without a line end', async () => {
  const connection = await connect();
  connection.send(JSON.stringify(call('read_lines', { path: 'a' })));
  connection.end();
  expect(await connection.answers()).toMatchObject([{ id: 1, result: { structuredContent: { path: 'a' } } }]);
});

test('the newest revision is spoken here, too', async () => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'desktop', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const connection = await connect();
  connection.send({ jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta } });
  connection.send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'missing', arguments: {}, _meta } });
  connection.end();
  expect(await connection.answers()).toMatchObject([
    { id: 1, result: { supportedVersions: ['2026-07-28'] } },
    { id: 2, result: { resultType: 'complete', isError: true } },
  ]);
});

test('lines that are no message are answered as such, and the connection goes on', async () => {
  const connection = await connect();
  connection.send('{"jsonrpc":\n');
  connection.send([call('missing')]);
  connection.send('\n');
  connection.send({ jsonrpc: '2.0', id: 9, method: 'ping' });
  connection.end();
  expect(await connection.answers()).toMatchObject([
    { error: { code: -32700 } },
    { error: { code: -32600 } },
    { id: 9, result: {} },
  ]);
});

test('a line over the limit ends the connection', async () => {
  const connection = await connect({ limits: { requestBytes: 1024 } });
  connection.send('x'.repeat(1025));
  expect(await connection.answers()).toMatchObject([{ error: { message: 'a message is longer than 1024 bytes' } }]);
});

test('progress is told, and a canceled call is stopped and never answered', async () => {
  const connection = await connect();
  connection.send({ ...call('steps'), params: { name: 'steps', arguments: {}, _meta: { progressToken: 7 } } });
  const began = waiting.began();
  connection.send(call('wait', {}, 2));
  const { signal } = await began;
  connection.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
  connection.end();
  const answers = await connection.answers();
  expect(answers).toMatchObject([
    ...[1, 3, 4].map((progress) => ({ method: 'notifications/progress', params: { progressToken: 7, progress } })),
    { id: 1, result: { structuredContent: { done: true } } },
  ]);
  expect(signal.aborted).toBe(true);
});
