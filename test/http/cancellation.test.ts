import { expect, test } from 'vitest';
import { call, post } from '../support/rpc.ts';
import { startServer } from './support/server.ts';
import { steps, tools, waitingTool } from './support/tools.ts';

const cancel = (requestId: unknown): object => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

/** Resolves when the tool was told to stop. */
const stopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())));

test('notifications/cancelled of the same credential, endpoint and id stops the call', async () => {
  const { plugin, began } = waitingTool();
  await using server = await startServer({ plugins: [plugin] });
  const [answering, running] = [post(server.url, call('wait', {}, 'w1')), await began()];
  for (const [message, options] of [
    [cancel('w2'), {}],
    [cancel('w1'), { token: 'bob-token' }],
    [cancel('w1'), { path: '/.api/mcp/all' }],
  ] as const) {
    expect((await post(server.url, message, options)).status).toBe(202);
    expect(running.signal.aborted).toBe(false);
  }
  expect((await post(server.url, cancel('w1'))).status).toBe(202);
  await stopped(running.signal);
  expect(await (await answering).json()).toMatchObject({ id: 'w1', error: { message: 'the call was canceled' } });
});

test('a canceled call gets no response on its event stream', async () => {
  const { plugin, began } = waitingTool();
  await using server = await startServer({ plugins: [plugin] });
  const answering = post(server.url, call('wait', {}, 5), { headers: { accept: 'text/event-stream' } });
  await began();
  await post(server.url, cancel(5));
  expect(await (await answering).text()).not.toContain('data:');
});

test('where two clients with one credential use one id, neither is stopped by a guess', async () => {
  const { plugin, began } = waitingTool();
  await using server = await startServer({ plugins: [plugin] });
  const going = new AbortController();
  const options = { signal: going.signal };
  const first = post(server.url, call('wait'), options).catch(() => 'gone');
  const one = await began();
  const second = post(server.url, call('wait'), options).catch(() => 'gone');
  const two = await began();
  await post(server.url, cancel(1));
  expect([one.signal.aborted, two.signal.aborted]).toEqual([false, false]);
  going.abort();
  expect(await Promise.all([first, second])).toEqual(['gone', 'gone']);
});

test.each(['application/json', 'text/event-stream'])(
  'a client that goes away (Accept %s) stops its call',
  async (accept) => {
    const { plugin, began } = waitingTool();
    await using server = await startServer({ plugins: [plugin] });
    const going = new AbortController();
    const answering = post(server.url, call('wait'), { signal: going.signal, headers: { accept } }).catch(() => 'gone');
    const running = await began();
    going.abort();
    await stopped(running.signal);
    expect(await answering).toBe('gone');
  },
);

test('a call is stopped at the deadline, and the caller is told', async () => {
  const { plugin } = waitingTool();
  await using server = await startServer({ plugins: [plugin], settings: { limits: { callSeconds: 0.1 } } });
  expect(await (await post(server.url, call('wait'))).json()).toMatchObject({
    result: { isError: true, content: [{ text: 'wait took longer than 0.1 s and was stopped; ask for less at once' }] },
  });
});

const withToken = { ...call('steps'), params: { name: steps.name, arguments: {}, _meta: { progressToken: 'tok' } } };

test('progress comes before the response, under the token of the request, and only grows', async () => {
  await using server = await startServer({ plugins: [tools] });
  const response = await post(server.url, withToken, { headers: { accept: 'application/json, text/event-stream' } });
  const messages = (await response.text())
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []));
  expect(messages).toEqual([
    ...[1, 3, 4].map((progress) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'tok', progress, total: 4, message: `step ${progress}` },
    })),
    expect.objectContaining({ id: 1, result: expect.objectContaining({ structuredContent: { done: true } }) }),
  ]);
});

test('without a token, or to a client that reads only JSON, no progress is sent', async () => {
  await using server = await startServer({ plugins: [tools] });
  const events = await post(server.url, call('steps'), { headers: { accept: 'text/event-stream' } });
  expect(await events.text()).not.toContain('notifications/progress');
  expect(await (await post(server.url, withToken)).json()).toMatchObject({ id: 1, result: {} });
});
