import { expect, test } from 'vitest';
import { deadlineOf } from '../calls/deadline.ts';
import { inTime } from './in-time.ts';

const { signal } = new AbortController();

test('gives what work comes to, and throws what it throws', async () => {
  expect(await inTime(60_000, () => Promise.resolve('done'), signal)).toBe('done');
  await expect(inTime(60_000, () => Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
});

test('gives up work that takes longer, and tells it so', async () => {
  let given: AbortSignal | undefined;
  const work = (mine: AbortSignal): Promise<never> => {
    given = mine;
    return new Promise(() => {});
  };
  expect(await inTime(1, work, signal)).toBeUndefined();
  expect(given?.aborted).toBe(true);
});

test('work ends with the call, and knows when it has to be done', async () => {
  const call = new AbortController();
  const work = async (mine: AbortSignal): Promise<void> => {
    expect(deadlineOf(mine)).toBeGreaterThan(performance.now());
    call.abort(new Error('the caller left'));
    mine.throwIfAborted();
  };
  await expect(inTime(60_000, work, call.signal)).rejects.toThrow('the caller left');
});
