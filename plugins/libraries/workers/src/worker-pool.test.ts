import { afterEach, expect, it } from 'vitest';
import { WorkerPool } from './worker-pool.ts';
import type { WorkerPoolOptions } from './worker-pool.ts';
import type { Order } from './testing/obedient-thread.ts';

const module = new URL('./testing/obedient-thread.ts', import.meta.url);
const pools: WorkerPool<Order, number>[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close(new Error('closed'));
});

function start(options: Partial<WorkerPoolOptions> = {}): WorkerPool<Order, number> {
  const pool = new WorkerPool<Order, number>({ module, threads: 1, forBackground: 0, hangMs: 30_000, ...options });
  pools.push(pool);
  return pool;
}

it('owners take turns: who asks for one thing does not wait for the thousand of another', async () => {
  const pool = start();
  const order: string[] = [];
  const ask = async (owner: string): Promise<void> => {
    await pool.run('answer', { owner });
    order.push(owner);
  };
  await Promise.all([...Array.from({ length: 100 }, () => ask('greedy')), ask('modest'), ask('shy')]);
  expect(Math.max(order.indexOf('modest'), order.indexOf('shy'))).toBeLessThan(6);
});

it('callers do not wait for background work, though it never ends', async () => {
  const pool = start({ threads: 2, forBackground: 1 });
  const canceling = new AbortController();
  const endless = Array.from({ length: 5 }, () => pool.run('wait', { signal: canceling.signal }));
  expect(await pool.run('answer', { owner: 'caller' })).toEqual(expect.any(Number));
  canceling.abort();
  for (const one of await Promise.allSettled(endless)) expect(one.status).toBe('rejected');
});

it('canceling stops the work, and the thread goes on', async () => {
  const pool = start();
  const id = await pool.run('answer', { owner: 1 });
  const canceling = new AbortController();
  const running = pool.run('wait', { owner: 1, signal: canceling.signal });
  const ahead = pool.run('wait', { owner: 1, signal: canceling.signal });
  const waiting = pool.run('wait', { owner: 1, signal: canceling.signal });
  canceling.abort(new Error('no longer wanted'));
  for (const one of [running, ahead, waiting]) await expect(one).rejects.toThrow('no longer wanted');
  expect(await pool.run('answer', { owner: 2 })).toBe(id);
});

it.each(['hang', 'throw', 'fill-heap', 'grow-array'] as const)(
  'a request that makes its thread %s is given up, and what waits is answered by another',
  async (order) => {
    const pool = start({ hangMs: order === 'hang' ? 1000 : 30_000, heapMegabytes: 64 });
    const answers = [pool.run(order, { owner: 1 }), pool.run('answer', { owner: 1 }), pool.run('answer', { owner: 2 })];
    expect(await Promise.all(answers)).toEqual([undefined, expect.any(Number), expect.any(Number)]);
  },
  30_000,
);

it('a thread that holds much memory outside of its heap answers and is ended', async () => {
  const pool = start({ heldBytes: 64 * 2 ** 20 });
  const first = await pool.run('hold-memory', { owner: 1 });
  expect(first).toEqual(expect.any(Number));
  expect(await pool.run('answer', { owner: 1 })).not.toBe(first);
});

it('what waits and what comes later fails once it is closed', async () => {
  const pool = start();
  const waiting = ['wait', 'wait', 'wait'] as const;
  const running = waiting.map((order) => pool.run(order, { owner: 1 }));
  const closed = pool.close(new Error('the end'));
  for (const one of running) await expect(one).rejects.toThrow('the end');
  await expect(pool.run('answer')).rejects.toThrow('the end');
  await closed;
});
