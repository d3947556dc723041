import { expect, test } from 'vitest';
import { RecentCallers } from './recent-callers.ts';

const alone = (now: number): { now: number; isTogether: boolean } => ({ now, isTogether: false });

test('others are there for a while after they have begun a search', () => {
  const recent = new RecentCallers();
  recent.begin(1, alone(1000));
  expect(recent.areOthersThan(1, 1000)).toBe(false);
  expect(recent.areOthersThan(2, 1000)).toBe(true);
  recent.begin(2, alone(1150));
  expect(recent.areOthersThan(1, 1300)).toBe(true);
  expect(recent.areOthersThan(2, 1300)).toBe(false);
  recent.begin(1, alone(1340));
  expect([1340, 1400].map((now) => recent.areOthersThan(1, now))).toEqual([true, false]);
});

test('searches are together for a while after one began while another ran, whoever asked', () => {
  const recent = new RecentCallers();
  recent.begin(1, alone(1000));
  recent.begin(1, alone(1010));
  expect(recent.wereTogether(1010)).toBe(false);
  recent.begin(1, { now: 1020, isTogether: true });
  recent.begin(1, alone(1100));
  expect([1100, 1219, 1220].map((now) => recent.wereTogether(now))).toEqual([true, true, false]);
});
