import { currentMeter, definePage, definePlugin } from '@sextant/core';
import type { Call } from '@sextant/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { call, post } from '../support/rpc.ts';
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

test('a tool has limits of its own: its error says so, and other tools go on', async () => {
  const { plugin, began } = waitingTool();
  const limits = { tools: { wait: { callsPerCaller: 1 }, read_lines: { callSeconds: 30 } } };
  await using server = await startServer({ plugins: [tools, plugin], settings: { limits } });
  const going = new AbortController();
  const waiting = post(server.url, call('wait'), { signal: going.signal }).catch(() => 'gone');
  await began();
  expect(await (await post(server.url, call('wait'))).json()).toMatchObject({
    result: {
      isError: true,
      content: [{ text: expect.stringContaining('you have 1 calls of wait in flight') }],
      _meta: { 'sextant/error': { code: 'exhausted', retryAfterSeconds: 1 } },
    },
  });
  expect(await (await post(server.url, call('read_lines', { path: 'a' }))).json()).toMatchObject({ result: {} });
  going.abort();
  await waiting;
});

test('processor time of a caller in a minute: the answer says what was used, the limit and when again', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-01-02T03:04:15Z') });
  onTestFinished(() => void vi.useRealTimers());
  const { plugin } = pageThat(async () => {
    currentMeter()?.add(2500);
    return new Response('done');
  });
  const limits = { processorSecondsPerCaller: 2 };
  await using server = await startServer({ plugins: [tools, plugin], settings: { limits } });
  expect(await (await askSlow(server.url)).text()).toBe('done');
  const said =
    'you had 2.5 s of processor time in this minute, and may have 2 s; ask again in 45 s, and for less at once';
  const page = await askSlow(server.url);
  expect([page.status, page.headers.get('retry-after')]).toEqual([429, '45']);
  expect(await page.json()).toEqual({ error: { code: 'exhausted', message: said } });
  const lines = (): Promise<unknown> =>
    post(server.url, call('read_lines', { path: 'a' })).then((response) => response.json());
  expect(await lines()).toMatchObject({
    result: {
      isError: true,
      content: [{ text: expect.stringContaining(said) }],
      _meta: { 'sextant/error': { code: 'exhausted', retryAfterSeconds: 45 } },
    },
  });
  const bob = await post(server.url, call('read_lines', { path: 'a' }), { token: 'bob-token' });
  expect(await bob.json(), 'others go on').toMatchObject({ result: { content: [{}] } });
  const headers = { authorization: 'Bearer root-token' };
  const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
  expect(metrics).toContain('sextant_processor_seconds_total{call="GET slow"} 2.5');
  expect(metrics).toContain('sextant_limit{limit="processorSecondsPerCaller"} 2');
  vi.setSystemTime(new Date('2026-01-02T03:05:00Z'));
  expect(await lines()).not.toMatchObject({ result: { isError: true } });
});

/** A page that answers as a test says, and the call that it was last asked in. */
function pageThat(respond: (call: Call) => Promise<Response>): {
  plugin: ReturnType<typeof definePlugin>;
  asked: Promise<Call>;
} {
  const asked = Promise.withResolvers<Call>();
  const page = definePage({
    name: 'slow',
    method: 'GET',
    path: '/slow',
    access: { scope: 'all' },
    needs: {},
    respond: (_request, _services, call) => {
      asked.resolve(call);
      return respond(call);
    },
  });
  return { plugin: definePlugin({ name: 'page-slow', pages: [page] }), asked: asked.promise };
}

const never = (): Promise<Response> => new Promise(() => undefined);
const aborted = ({ signal }: Call): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason)));
const askSlow = (url: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/slow`, { headers: { authorization: 'Bearer alice-token', ...headers }, ...init });
const late = 'the page "slow" took longer than 0.1 s and was stopped; ask for less at once, or try again later';

test('a page that never answers is ended at the time limit of calls: a person reads why, a script gets the code', async () => {
  const { plugin, asked } = pageThat(never);
  await using server = await startServer({ plugins: [plugin], settings: { limits: { callSeconds: 0.1 } } });
  const [page, script] = await Promise.all([askSlow(server.url, { accept: 'text/html' }), askSlow(server.url)]);
  expect([page.status, page.headers.get('content-type')]).toEqual([504, 'text/plain; charset=utf-8']);
  expect(await page.text()).toBe(late);
  expect([script.status, await script.json()]).toEqual([504, { error: { code: 'timeout', message: late } }]);
  expect((await asked).signal.aborted, 'its work is told to stop').toBe(true);
});

test('a page may say itself what took too long', async () => {
  const { plugin } = pageThat(async (call) => new Response(String(await aborted(call)), { status: 504 }));
  await using server = await startServer({ plugins: [plugin], settings: { limits: { callSeconds: 0.1 } } });
  expect(await (await askSlow(server.url)).text()).toContain(late);
});

test('what a page sends bit by bit may take longer', async () => {
  const { plugin, asked } = pageThat(async ({ signal }) => {
    const ticks = [1, 2, 3, 4];
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 60));
        const tick = ticks.shift();
        if (tick === undefined || signal.aborted) controller.close();
        else controller.enqueue(Buffer.from(`${tick} `));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  await using server = await startServer({ plugins: [plugin], settings: { limits: { callSeconds: 0.1 } } });
  expect(await (await askSlow(server.url)).text()).toBe('1 2 3 4 ');
  expect((await asked).signal.aborted).toBe(false);
});

test('a page whose browser goes away is told to stop, and counts no more', async () => {
  const { plugin, asked } = pageThat(never);
  const settings = { limits: { callsPerCaller: 1 } };
  await using server = await startServer({ plugins: [tools, plugin], settings });
  const going = new AbortController();
  const gone = askSlow(server.url, {}, { signal: going.signal }).catch(() => 'gone');
  const stopped = aborted(await asked);
  const refused = await askSlow(server.url, { accept: 'text/html' });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.text()).toBe('you have 1 calls in flight, the most that one user may have; wait for one to end');
  going.abort();
  await Promise.all([gone, stopped]);
  await expect.poll(async () => (await post(server.url, call('read_lines', { path: 'a' }))).status).toBe(200);
});
