import { definePlugin, token } from '@sextant/core';
import type { ServiceStatus } from '@sextant/core';
import { expect, test } from 'vitest';
import { call, post } from './support/rpc.ts';
import { startServer } from './support/server.ts';
import { tools } from './support/tools.ts';

const Index = token<object>('index');

const indexPlugin = (status: () => ServiceStatus): ReturnType<typeof definePlugin> =>
  definePlugin({
    name: 'service-index',
    provides: { index: Index },
    start: async () => ({ index: { value: {}, status } }),
  });

test('/healthz is 200 while the process lives', async () => {
  await using server = await startServer();
  const response = await fetch(`${server.url}/healthz`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'ok' }]);
  expect((await fetch(`${server.url}/healthz`, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${server.url}/healthz`, { method: 'POST' })).status).toBe(405);
});

test('/readyz is 503 with progress until every service is ready, then 200', async () => {
  let isReady = false;
  await using server = await startServer({
    plugins: [indexPlugin(() => ({ isReady, detail: { indexed: isReady ? 2 : 1, of: 2 } }))],
  });
  const answer = async (): Promise<unknown[]> => {
    const response = await fetch(`${server.url}/readyz`);
    return [response.status, await response.json()];
  };
  expect(await answer()).toEqual([
    503,
    { status: 'starting', services: { index: { isReady: false, detail: { indexed: 1, of: 2 } } }, quarantined: [] },
  ]);
  isReady = true;
  expect(await answer()).toMatchObject([200, { status: 'ready', services: { index: { detail: { indexed: 2 } } } }]);
});

test('/readyz names a plugin that failed and why: degraded before, ready once the others are', async () => {
  let isReady = false;
  const quarantined = [{ plugin: 'tool-broken', reason: 'cannot be loaded' }];
  await using server = await startServer({ plugins: [indexPlugin(() => ({ isReady, detail: {} }))], quarantined });
  expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({ status: 'degraded', quarantined });
  isReady = true;
  expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({ status: 'ready', quarantined });
});

test('/metrics has calls by tool, endpoint and outcome, the limits, the services and the process; nobody by name', async () => {
  const state: ServiceStatus = { isReady: false, detail: { indexed: 7, newest: 'main' } };
  await using server = await startServer({ plugins: [tools, indexPlugin(() => state)] });
  await post(server.url, call('read_lines', { path: 'a' }));
  await post(server.url, call('missing'));
  await post(server.url, '{');
  await post(server.url, call('missing'), { token: 'bad' });
  const response = await fetch(`${server.url}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
  const text = await response.text();
  for (const line of [
    'sextant_tool_call_seconds_count{tool="read_lines",endpoint="/.api/mcp",outcome="ok"} 1',
    'sextant_tool_call_seconds_count{tool="missing",endpoint="/.api/mcp",outcome="not_found"} 1',
    'sextant_rejected_requests_total{reason="bad_request"} 1',
    'sextant_rejected_requests_total{reason="unauthenticated"} 1',
    'sextant_limit{limit="requestBytes"} 4194304',
    'sextant_limit{limit="callsPerCaller"} 16',
    'sextant_limit{limit="callsPerServer"} 256',
    'sextant_calls_in_flight 0',
    'sextant_service{service="index",what="ready"} 0',
    'sextant_service{service="index",what="indexed"} 7',
  ])
    expect(text).toContain(line);
  expect(text).toContain('process_resident_memory_bytes');
  expect(text).not.toMatch(/alice|user=|newest/);
});
