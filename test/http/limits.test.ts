import { expect, test } from 'vitest';
import { call, post } from './support/rpc.ts';
import { startServer } from './support/server.ts';
import { tools, waitingTool } from './support/tools.ts';

test('more calls in flight than one caller may have: 429 with Retry-After; others go on', async () => {
  const { plugin, began } = waitingTool();
  await using server = await startServer({ plugins: [tools, plugin], settings: { limits: { callsPerCaller: 2 } } });
  const going = new AbortController();
  const waiting = [];
  for (const id of [1, 2]) {
    waiting.push(post(server.url, call('wait', {}, id), { signal: going.signal }).catch(() => 'gone'));
    await began();
  }
  const refused = await post(server.url, call('read_lines', { path: 'a' }));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({
    error: { message: 'you have 2 calls in flight, the most that one user may have; wait for one to end' },
  });
  expect((await post(server.url, call('read_lines', { path: 'a' }), { token: 'bob-token' })).status).toBe(200);

  const canceling = await post(server.url, {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 1 },
  });
  expect(canceling.status, 'a cancellation is never too much').toBe(202);
  await waiting[0];
  await expect.poll(async () => (await post(server.url, call('read_lines', { path: 'a' }))).status).toBe(200);
  going.abort();
  await Promise.all(waiting);
});

test('more calls in flight than the server may have: 429 for whoever comes', async () => {
  const { plugin, began } = waitingTool();
  await using server = await startServer({ plugins: [tools, plugin], settings: { limits: { callsPerServer: 1 } } });
  const going = new AbortController();
  const waiting = post(server.url, call('wait'), { signal: going.signal }).catch(() => 'gone');
  await began();
  const refused = await post(server.url, call('read_lines', { path: 'a' }), { token: 'bob-token' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  const headers = { authorization: 'Bearer root-token' };
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
  expect(metrics).toContain('sextant_calls_in_flight 1');
  expect(metrics).toContain('sextant_limit{limit="callsPerServer"} 1');
  expect(metrics).toContain('sextant_rejected_requests_total{reason="exhausted"} 1');
  going.abort();
  await waiting;
});
