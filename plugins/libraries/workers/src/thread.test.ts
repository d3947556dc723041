import { setTimeout } from 'node:timers/promises';
import { metered } from '@sextant/core';
import { afterEach, expect, test, vi } from 'vitest';
import { RestartableThread } from './thread.ts';
import type { RestartableThreadOptions } from './thread.ts';
import type { TestCalls } from './testing/calls-thread.ts';

const module = new URL('./testing/calls-thread.ts', import.meta.url);
const threads: RestartableThread<TestCalls>[] = [];
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});

function threadWith(options: Partial<RestartableThreadOptions<TestCalls>> = {}): RestartableThread<TestCalls> {
  const thread = new RestartableThread<TestCalls>({ module, ...options });
  threads.push(thread);
  return thread;
}

test('a thread that nobody calls any more ends, and another is started when somebody does', async () => {
  const onStart = vi.fn();
  const thread = threadWith({ idleMs: 10, onStart });
  expect(thread.isRunning).toBe(false);
  await thread.call('echo', 'a');
  await expect.poll(() => thread.isRunning).toBe(false);
  await setTimeout(50);
  await thread.call('echo', 'a');
  expect(onStart).toHaveBeenCalledTimes(2);
});

test('a thread does not end during work that it was told something for, however long nobody calls it', async () => {
  const onStart = vi.fn();
  const thread = threadWith({ idleMs: 10, onStart });
  await thread.during(async () => {
    await thread.call('echo', 'a');
    await setTimeout(100);
    await thread.call('echo', 'b');
    await setTimeout(100);
    expect(thread.isRunning).toBe(true);
  });
  expect(onStart).toHaveBeenCalledTimes(1);
  await expect.poll(() => thread.isRunning).toBe(false);
});

test('a new thread is told what it must know before it is called, also after one that failed', async () => {
  const told: string[] = [];
  const ended: string[] = [];
  const thread = threadWith({
    heapMegabytes: 32,
    onStart: (started) => void started.call('echo', 'known').then((value) => told.push(value)),
    onEnd: ({ call }) => ended.push(call?.name ?? ''),
  });
  await thread.mention('echo', 'nobody is there yet');
  told.push(await thread.call('echo', 'first'));
  await expect(thread.call('fillHeap', undefined)).rejects.toMatchObject({ code: 'ERR_WORKER_OUT_OF_MEMORY' });
  await thread.mention('echo', 'nobody is there to hear it');
  told.push(await thread.call('echo', 'second'));
  expect([told, ended]).toEqual([['known', 'first', 'known', 'second'], ['fillHeap']]);
});

test('what fails in a thread fails here, with the code of the error there', async () => {
  const thread = threadWith();
  await expect(thread.call('fail', 'ENOENT')).rejects.toMatchObject({ name: 'ThreadError', code: 'ENOENT' });
  expect(await thread.call('echo', 'it goes on')).toBe('it goes on');
});

test('a thread that ends under a call fails it', async () => {
  const thread = threadWith();
  const answer = expect(thread.call('spin', 60_000)).rejects.toThrow('has ended');
  await thread.close();
  await answer;
});

test('of the calls of a thread that hangs only the first is to blame', async () => {
  const thread = threadWith({ hangMs: 1000 });
  const calls = [thread.call('spin', 60_000), thread.call('echo', 'a')];
  const [first, second] = await Promise.allSettled(calls);
  expect([first, second]).toMatchObject([{ reason: { isBegun: true } }, { reason: { isBegun: false, code: 'ENDED' } }]);
});

test('functions that wait run beside others, and a canceled call is told to the thread', async () => {
  const onDone = vi.fn();
  const thread = threadWith();
  const canceling = new AbortController();
  const order: string[] = [];
  const canceled = thread.call('untilCanceled', undefined, { signal: canceling.signal, onDone });
  const calls = [thread.call('later', 'later'), thread.call('echo', 'at once')];
  await Promise.all(calls.map((call) => call.then((value) => order.push(value))));
  expect(order).toEqual(['at once', 'later']);
  canceling.abort(new Error('no longer wanted'));
  await expect(canceled).rejects.toThrow('no longer wanted');
  await expect.poll(() => onDone).toHaveBeenCalledTimes(1);
});

test('what a call had of the processor is for the meter of who asked', async () => {
  const thread = threadWith();
  const [mine, others] = [{ add: vi.fn() }, { add: vi.fn() }];
  const spinning = metered(mine, () => thread.call('spin', 200));
  await metered(others, () => thread.call('later', 'a'));
  await spinning;
  const [[spent = 0] = []] = mine.add.mock.calls;
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThan(60_000);
  expect(others.add).toHaveBeenCalledWith(0);
});
