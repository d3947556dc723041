import { expect, onTestFinished, test, vi } from 'vitest';
import { Throttle } from './throttle.ts';

/** How many attempts are let through. */
function attempts(throttle: Throttle, attemptOf: (n: number) => { account: string; address: string }): number {
  for (let n = 0; ; n += 1)
    try {
      throttle.attempt(attemptOf(n));
    } catch {
      return n;
    }
}

test('ten failures for an account from an address, 100 for one account or from one address', () => {
  expect(attempts(new Throttle(), () => ({ account: 'a', address: '1' }))).toBe(10);
  expect(attempts(new Throttle(), (n) => ({ account: 'a', address: String(n) }))).toBe(100);
  expect(attempts(new Throttle(), (n) => ({ account: String(n), address: '1' }))).toBe(100);
});

test('the addresses of one IPv6 network are one', () => {
  expect(attempts(new Throttle(), (n) => ({ account: 'a', address: `2001:db8::${n.toString(16)}` }))).toBe(10);
});

test('success is not counted', () => {
  const throttle = new Throttle();
  const attempt = { account: 'a', address: '1' };
  for (let n = 0; n < 500; n += 1) {
    throttle.attempt(attempt);
    throttle.succeeded(attempt);
  }
});

test('a minute after the first failure all begins again', () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const throttle = new Throttle();
  const attempt = { account: 'a', address: '1' };
  expect(attempts(throttle, () => attempt)).toBe(10);
  vi.setSystemTime(Date.now() + 59_999);
  expect(() => throttle.attempt(attempt)).toThrow('Wait a minute');
  vi.setSystemTime(Date.now() + 1);
  expect(attempts(throttle, () => attempt)).toBe(10);
});
