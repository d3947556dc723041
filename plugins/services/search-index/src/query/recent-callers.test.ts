import { expect, test } from 'vitest';
import { RecentCallers } from './recent-callers.ts';

test('others are there for a while after they have begun a search', () => {
  const recent = new RecentCallers();
  recent.begin(1, 1000);
  expect(recent.areOthersThan(1, 1000)).toBe(false);
  expect(recent.areOthersThan(2, 1000)).toBe(true);
  recent.begin(2, 1150);
  expect(recent.areOthersThan(1, 1300)).toBe(true);
  expect(recent.areOthersThan(2, 1300)).toBe(false);
  recent.begin(1, 1340);
  expect([1340, 1400].map((now) => recent.areOthersThan(1, now))).toEqual([true, false]);
});
