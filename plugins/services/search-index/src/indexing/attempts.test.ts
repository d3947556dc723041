import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Attempts } from './attempts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function attempts(): { of: Attempts; told: unknown[]; tried: () => number; closing: AbortController } {
  const told: unknown[] = [];
  const closing = new AbortController();
  let tries = 0;
  const tryAgain = (): void => void (tries += 1);
  const of = new Attempts({ name: 'shop', tryAgain, tell: (error) => told.push(error), signal: closing.signal });
  return { of, told, tried: () => tries, closing };
}

test('what fails is tried again after pauses that grow up to a minute, and told once', () => {
  const { of, told, tried } = attempts();
  const failures = Array.from({ length: 8 }, () => new Error('failed'));
  for (const [at, error] of failures.entries()) {
    of.failed(error);
    vi.advanceTimersByTime(Math.min(60, 2 ** at) * 1000 - 1);
    expect(tried()).toBe(at);
    vi.advanceTimersByTime(1);
    expect(tried()).toBe(at + 1);
  }
  expect(told).toEqual(failures.slice(0, 1));
  expect(of.failure?.message).toBe('repository "shop" cannot be searched now: its index could not be built');
});

test('what succeeds is not tried again, and the pauses begin anew when nothing failed for two minutes', () => {
  const { of, told, tried } = attempts();
  for (let time = 0; time < 3; time += 1) of.failed(new Error('failed'));
  of.succeeded();
  expect(of.failure).toBeUndefined();
  vi.advanceTimersByTime(121_000);
  expect(tried()).toBe(0);
  of.failed(new Error('failed'));
  vi.advanceTimersByTime(1000);
  expect([tried(), told.length]).toEqual([1, 2]);
});

test('what fails because it is ended is no failure', () => {
  const { of, told, tried, closing } = attempts();
  closing.abort();
  of.failed(new Error('aborted'));
  vi.advanceTimersByTime(121_000);
  expect([of.failure, told, tried()]).toEqual([undefined, [], 0]);
});
