import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Retries } from './retries.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('what fails is done again after pauses that grow up to ten minutes, and only the first failure is to be told', () => {
  const again: string[] = [];
  const retries = new Retries((name) => again.push(name));
  for (let at = 0; at < 12; at += 1) {
    expect(retries.failed('shop')).toBe(at === 0);
    vi.advanceTimersByTime(Math.min(600, 2 ** at) * 1000 - 1);
    expect(again).toHaveLength(at);
    vi.advanceTimersByTime(1);
    expect(again).toHaveLength(at + 1);
  }
});

test('what succeeds is not done again, and the pauses begin anew; others go on', () => {
  const again: string[] = [];
  const retries = new Retries((name) => again.push(name));
  for (let time = 0; time < 3; time += 1) retries.failed('shop');
  retries.failed('other');
  retries.succeeded('shop');
  vi.advanceTimersByTime(601_000);
  expect(again).toEqual(['other']);
  expect(retries.failed('shop')).toBe(true);
  vi.advanceTimersByTime(1000);
  expect(again).toEqual(['other', 'shop']);
});

test('nothing is done again once it is closed', () => {
  const again: string[] = [];
  const retries = new Retries((name) => again.push(name));
  retries.failed('shop');
  retries.close();
  vi.advanceTimersByTime(601_000);
  expect(again).toEqual([]);
});
