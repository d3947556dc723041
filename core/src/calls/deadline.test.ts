import { describe, expect, test } from 'vitest';
import { deadlineOf, joinSignals, setDeadline, timeoutSignal } from './deadline.ts';

const signalUntil = (at?: number): AbortSignal => {
  const { signal } = new AbortController();
  setDeadline(signal, at);
  return signal;
};

describe('a joined signal', () => {
  test('aborts with the first of them, for its reason', () => {
    const controller = new AbortController();
    const joined = joinSignals(signalUntil(), controller.signal);
    expect(joined.aborted).toBe(false);
    controller.abort('left');
    expect(joined.reason).toBe('left');
  });

  test('has the earliest deadline of them', () => {
    expect(deadlineOf(joinSignals(signalUntil(20), signalUntil(), signalUntil(10)))).toBe(10);
    expect(deadlineOf(joinSignals(joinSignals(signalUntil(20)), signalUntil(30)))).toBe(20);
  });

  test('has none where they have none', () => {
    expect(deadlineOf(joinSignals(signalUntil(), signalUntil()))).toBeUndefined();
  });
});

test('the deadline of a timeout is when it aborts', () => {
  const before = performance.now();
  const at = deadlineOf(timeoutSignal(60_000));
  expect(at).toBeGreaterThanOrEqual(before + 60_000);
  expect(at).toBeLessThanOrEqual(performance.now() + 60_000);
});
