import { once } from 'node:events';
import { request } from 'node:http';
import { definePlugin, silentLogger, token } from '@sextant/core';
import type { ServiceStatus } from '@sextant/core';
import { expect, test } from 'vitest';
import { hostSettings } from '../../host/src/server/settings.ts';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import type { TestServer } from './support/server.ts';
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

/** Everyone who is no administrator, or whose token is not good for administration. */
const others = [undefined, 'alice-token', 'outsider-token', 'analyst-token', 'root-mcp-token', 'no-such-token'];

async function get(url: string, token?: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, text: await response.text() };
}

async function readyz({ url }: TestServer, token = 'root-token'): Promise<unknown[]> {
  const { status, text } = await get(`${url}/readyz`, token);
  return [status, JSON.parse(text)];
}

test('/readyz is 503 with progress until every service is ready, then 200', async () => {
  let isReady = false;
  const progress = { done: 7, total: 8, unit: 'repositories' };
  await using server = await startServer({
    plugins: [indexPlugin(() => ({ isReady, detail: { indexed: isReady ? 8 : 7, of: 8 }, progress }))],
  });
  expect(await readyz(server)).toEqual([
    503,
    {
      status: 'starting',
      progress: 87,
      services: { index: { isReady: false, detail: { indexed: 7, of: 8 }, progress } },
      failed: [],
    },
  ]);
  isReady = true;
  expect(await readyz(server)).toMatchObject([
    200,
    { status: 'ready', progress: 100, services: { index: { detail: { indexed: 8 } } } },
  ]);
});

const failures = [
  { name: 'acme/hidden', reason: 'its tree has more than 5000000 entries', since: '2026-01-02T03:04:05Z' },
];
const quarantined = [{ plugin: 'tool-broken', reason: 'cannot be loaded' }];

test('what failed keeps nobody waiting, and is named to administrators: repositories and plugins, with the reason', async () => {
  await using server = await startServer({
    plugins: [indexPlugin(() => ({ isReady: true, detail: {}, failures }))],
    quarantined,
  });
  expect(await readyz(server)).toEqual([
    200,
    {
      status: 'ready',
      progress: 100,
      services: { index: { isReady: true, detail: {} } },
      failed: [
        { in: 'plugins', name: 'tool-broken', reason: 'cannot be loaded' },
        { in: 'index', ...failures[0] },
      ],
    },
  ]);
});

test('a service that is not ready says why, such as a missing git: degraded where a plugin failed, else starting', async () => {
  const git = { name: 'git', reason: 'the program git is not on the PATH; install it' };
  const plugins = [indexPlugin(() => ({ isReady: false, detail: {}, failures: [git] }))];
  await using server = await startServer({ plugins });
  expect(await readyz(server)).toMatchObject([
    503,
    { status: 'starting', progress: 0, failed: [{ in: 'index', ...git }] },
  ]);
  await using degraded = await startServer({ plugins, quarantined });
  expect(await readyz(degraded)).toMatchObject([503, { status: 'degraded' }]);
});

test('what was ready and has failed since is degraded, not starting, until it is ready again', async () => {
  let state: ServiceStatus = { isReady: true, detail: {} };
  await using server = await startServer({ plugins: [indexPlugin(() => state)] });
  expect(await readyz(server)).toMatchObject([200, { status: 'ready' }]);
  state = { isReady: false, detail: {}, failures: [{ name: 'sextant.db', reason: 'the disk is full' }] };
  expect(await readyz(server)).toMatchObject([503, { status: 'degraded', progress: 0 }]);
  // What goes on is told by how far it is, whatever failed beside it.
  state = { ...state, progress: { done: 1, total: 2, unit: 'repositories' } };
  expect(await readyz(server)).toMatchObject([503, { status: 'starting', progress: 50 }]);
  state = { isReady: true, detail: {} };
  expect(await readyz(server)).toMatchObject([200, { status: 'ready' }]);
});

test('a service that cannot tell its state is not ready, and the others are told of', async () => {
  const broken = indexPlugin(() => {
    throw new Error('no table of names');
  });
  await using server = await startServer({ plugins: [broken] });
  const failed = [{ in: 'index', name: 'service-index', reason: 'cannot tell its state: no table of names' }];
  expect(await readyz(server)).toMatchObject([503, { status: 'starting', failed }]);
});

test('everyone else is told a state and a percentage, and no more by /metrics: no counts, names or paths', async () => {
  let isReady = false;
  const detail = { indexed: 4711, of: 5000 };
  const progress = { done: 4711, total: 5000, unit: 'repositories' };
  await using server = await startServer({
    plugins: [tools, indexPlugin(() => ({ isReady, detail, progress, failures }))],
  });
  await post(server.url, call('read_lines', { path: 'a' }));
  for (const expected of [
    { status: 503, text: '{"status":"starting","progress":94}', numbers: ['0', '94'] },
    { status: 200, text: '{"status":"ready","progress":100}', numbers: ['1', '100'] },
  ]) {
    for (const token of others) {
      const { status, text } = await get(`${server.url}/readyz`, token);
      expect([token, status, text]).toEqual([token, expected.status, expected.text]);
      const metrics = await get(`${server.url}/metrics`, token);
      const samples = metrics.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      expect([metrics.status, ...samples]).toEqual([
        200,
        `sextant_ready ${expected.numbers[0]}`,
        `sextant_progress_percent ${expected.numbers[1]}`,
      ]);
    }
    isReady = true;
  }
});

test('metrics.listen tells everything without credentials, to callers of its own name only, and follows the configuration', async () => {
  const seen = Promise.withResolvers<string>();
  const log = { ...silentLogger, info: (fields: object) => 'url' in fields && seen.resolve(String(fields.url)) };
  const plugins = [indexPlugin(() => ({ isReady: true, detail: { indexed: 7 }, failures }))];
  await using server = await startServer({ plugins, log, settings: { 'metrics.listen': '127.0.0.1:0' } });
  const url = await seen.promise;
  expect((await get(`${url}/metrics`)).text).toContain('sextant_service{service="index",what="indexed"} 7');
  expect((await get(`${url}/readyz`)).text).toContain('acme/hidden');
  expect((await get(`${url}/.api/mcp`)).status).toBe(404);
  const rebound = request(`${url}/readyz`, { headers: { host: 'evil.example' } }).end();
  const [refused] = await once(rebound, 'response');
  expect(refused.statusCode).toBe(403);
  refused.resume();
  await server.reload({ plugins, log });
  await expect(fetch(`${url}/metrics`)).rejects.toThrow();
});

test.each(['127.0.0.1', '127.0.0.1:99999', ':9464', 'http://127.0.0.1:9464'])(
  'metrics.listen %s is a clear error',
  (address) => {
    expect(() => hostSettings.parse({ 'metrics.listen': address })).toThrow('must be an address and a port');
  },
);

test('/metrics has calls by tool, endpoint and outcome, the limits, the services and the process; nobody by name', async () => {
  const state: ServiceStatus = { isReady: false, detail: { indexed: 7, newest: 'main' } };
  await using server = await startServer({ plugins: [tools, indexPlugin(() => state)] });
  await post(server.url, call('read_lines', { path: 'a' }));
  await post(server.url, call('missing'));
  await post(server.url, '{');
  await post(server.url, call('missing'), { token: 'bad' });
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: 'Bearer root-analytics-token' } });
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
    'sextant_limit{limit="connections"}',
    'sextant_limit{limit="connectionsPerAddress"}',
    'sextant_calls_in_flight 0',
    'sextant_service{service="index",what="ready"} 0',
    'sextant_service{service="index",what="indexed"} 7',
  ])
    expect(text).toContain(line);
  expect(text).toContain('process_resident_memory_bytes');
  expect(text).not.toMatch(/alice|user=|newest/);
});
