import { expect, test } from 'vitest';
import { IndexQueue } from './index-queue.ts';
import type { IndexQueueOptions } from './index-queue.ts';

/** Does one part after the other of what each repository has until its turn is over. */
function queueOf(left: Record<string, string[]>, options: Partial<IndexQueueOptions> = {}) {
  const done: string[] = [];
  const queue = new IndexQueue({
    turnSeconds: -1,
    onFailure: (name) => done.push(`${name} failed`),
    update: async (name, { isOver }) => {
      // The others are added meanwhile.
      await Promise.resolve();
      const parts = left[name] ?? [];
      do done.push(parts.shift() ?? 'nothing');
      while (parts.length > 0 && !isOver());
      return parts.length === 0;
    },
    ...options,
  });
  return { queue, done };
}

test('a turn is over only while others wait', async () => {
  const { queue, done } = queueOf({ large: ['a', 'b', 'c'], small: ['x'] });
  queue.start(['large', 'small']);
  expect(queue.isSettled).toBe(false);
  await queue.whenIdle();
  expect(done).toEqual(['a', 'x', 'b', 'c']);
  expect([queue.isSettled, queue.length, queue.failures]).toEqual([true, 0, []]);
});

test('who is asked for comes before others that wait', async () => {
  const { queue, done } = queueOf({ one: ['1'], two: ['2'], three: ['3'] });
  queue.start(['one', 'two', 'three']);
  queue.prefer('three');
  await queue.whenIdle();
  expect(done).toEqual(['1', '3', '2']);
});

test('what comes to no end is given up, is told once, and has all of its time again', async () => {
  const update: IndexQueueOptions['update'] = async (_name, { isOver }) => {
    while (!isOver());
    return false;
  };
  const most = { seconds: 0, error: () => new Error('it takes too long') };
  const { queue, done } = queueOf({}, { update, most });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    queue.start(['endless']);
    await queue.whenIdle();
  }
  expect(queue.failures).toMatchObject([
    { name: 'endless', error: { message: 'it takes too long' }, nextTry: expect.any(String) },
  ]);
  expect([done, queue.isSettled]).toEqual([['endless failed'], true]);
  await queue.close();
});
