import { expect, test } from 'vitest';
import { clockWatch } from './watch-clock.ts';

test('a clock that was set is told once, with the way and the seconds', () => {
  const time = { now: 1_000_000, steady: 0 };
  const told: string[] = [];
  const look = clockWatch(
    { warn: (_fields, message) => told.push(message) },
    { now: () => time.now, steady: () => time.steady },
  );
  const pass = (seconds: number, setBy = 0): void => {
    time.steady += seconds * 1000;
    time.now += (seconds + setBy) * 1000;
    look();
  };
  pass(10);
  pass(10, 5);
  expect(told).toEqual([]);
  pass(10, 3600);
  pass(10);
  pass(10, -3600);
  expect(told).toEqual([
    expect.stringContaining('the clock was set forward by 3605 s'),
    expect.stringContaining('the clock was set back by 3600 s'),
  ]);
});
