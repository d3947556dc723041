import { PassThrough } from 'node:stream';
import type { ServiceStatus } from '@sextant/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '../../log/log.ts';
import { watchProgress } from './progress.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

interface Watched {
  done: number;
  log: string;
  terminal: string;
}

/** Watches a service that has done so much of four; returns what is written. */
function watch(isTTY: boolean): Watched {
  const watched: Watched = { done: 0, log: '', terminal: '' };
  const stream = new PassThrough().on('data', (text) => (watched.terminal += String(text)));
  const status = (): Record<string, ServiceStatus> => ({
    search: {
      isReady: watched.done === 4,
      detail: {},
      ...(watched.done < 4 && { progress: { done: watched.done, total: 4, unit: 'repositories searchable' } }),
    },
  });
  const log = createLog('info', { destination: { write: (line) => (watched.log += line) } });
  // A terminal as far as this program knows.
  watchProgress({
    status,
    log,
    stream: Object.assign(stream, { isTTY, columns: 80 }) as unknown as NodeJS.WriteStream,
  });
  return watched;
}

test('on a terminal a bar shows how far the services are, and goes when they are ready', () => {
  const watched = watch(true);
  watched.done = 2.5;
  vi.advanceTimersByTime(1000);
  expect(watched.terminal).toContain('62 %  2 of 4 repositories searchable');
  expect(watched.log).toBe('');
  watched.done = 4;
  vi.advanceTimersByTime(1000);
  const { length } = watched.terminal;
  vi.advanceTimersByTime(10_000);
  expect(watched.terminal).toHaveLength(length);
});

test('elsewhere there are lines of the log, not too many', () => {
  const watched = watch(false);
  for (watched.done = 0; watched.done < 4; watched.done += 0.01) vi.advanceTimersByTime(30);
  expect(watched.terminal).toBe('');
  expect(watched.log.match(/"\d of 4 repositories searchable"/g)?.length).toBeLessThanOrEqual(4);
  expect(watched.log).toContain('"0 of 4 repositories searchable"');
});
