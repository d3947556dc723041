import type { Logger } from '@sextant/core';
import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import { tools } from './support/tools.ts';

/** A log whose lines the test reads. */
function recordingLog(): { log: Logger; lines: object[] } {
  const lines: object[] = [];
  const record =
    (level: string) =>
    (fields: object, message: string): void =>
      void lines.push({ level, message, ...fields });
  return { lines, log: { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') } };
}

test('each call is one line: tool, endpoint, user, client, duration, outcome and request id', async () => {
  const { log, lines } = recordingLog();
  await using server = await startServer({ plugins: [tools], log });
  const { headers } = await post(server.url, call('read_lines', { path: 'a' }), {
    headers: { 'user-agent': 'probe/1' },
  });
  await post(server.url, call('missing'));
  const line = {
    level: 'info',
    message: 'call',
    endpoint: '/.api/mcp',
    user: 1,
    requestId: expect.any(String),
    milliseconds: expect.any(Number),
    processorMilliseconds: expect.any(Number),
  };
  expect(lines).toEqual([
    { ...line, tool: 'read_lines', client: 'probe', outcome: 'ok', requestId: headers.get('x-request-id') },
    { ...line, tool: 'missing', client: 'node', outcome: 'not_found' },
  ]);
});

test('the log has no token, no argument and no content', async () => {
  const { log, lines } = recordingLog();
  await using server = await startServer({ plugins: [tools], log });
  for (const token of ['alice-token', 'stolen-token']) {
    await post(server.url, call('read_lines', { path: 'secret-path' }), { token });
    await post(server.url, call('read_lines', { wrong: 'secret-argument' }), { token });
    await post(server.url, '{"secret":', { token });
  }
  expect(JSON.stringify(lines)).not.toMatch(/token|secret|compute/);
});
