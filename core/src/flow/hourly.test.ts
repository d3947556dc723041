import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { hourly } from './hourly.ts';
import { silentLogger } from '../plugins/logger.ts';

const hourMs = 3_600_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('it is done now and every hour, also after it has failed, until it is closed', async () => {
  const warnings: string[] = [];
  const log = { ...silentLogger, warn: (_: object, message: string) => void warnings.push(message) };
  let times = 0;
  const work = async (): Promise<void> => {
    times += 1;
    if (times === 1) throw new Error('the disk is full');
  };
  const repeated = hourly(work, { log, failure: 'old files were not removed' });
  expect(times).toBe(1);
  await vi.advanceTimersByTimeAsync(2 * hourMs);
  expect([times, warnings]).toEqual([3, ['old files were not removed: the disk is full']]);
  await repeated.close();
  await vi.advanceTimersByTimeAsync(2 * hourMs);
  expect(times).toBe(3);
});

test('it is never done twice at once, and closing waits for its end', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let times = 0;
  const work = (): Promise<void> => {
    times += 1;
    return promise;
  };
  const repeated = hourly(work, { log: silentLogger, failure: 'nothing' });
  await vi.advanceTimersByTimeAsync(3 * hourMs);
  expect(times).toBe(1);
  let isClosed = false;
  const closed = repeated.close().then(() => (isClosed = true));
  await vi.advanceTimersByTimeAsync(0);
  expect(isClosed).toBe(false);
  resolve();
  expect(await closed).toBe(true);
});
