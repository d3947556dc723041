import { SextantError } from '@sextant/core';
import { expect, test } from 'vitest';
import { LeftOut, notSearched } from './left-out.ts';

const { signal } = new AbortController();
const unavailable = (): Promise<void> => Promise.reject(new SextantError('unavailable', 'it is being cloned'));

test('names stand by their reasons, and more than fit are counted', () => {
  expect(notSearched([])).toEqual([]);
  const many = Array.from({ length: 12 }, (_, index) => ({ repo: `r${index}`, reason: 'it is being cloned' }));
  const since = new Date('2026-01-02T03:04:05Z');
  expect(notSearched([{ repo: 'a', reason: 'it has gone', since }, ...many])).toEqual([
    'Not searched: a since 2026-01-02T03:04:05.000Z (it has gone); r0, r1, r2, r3, r4, r5, r6, r7, r8, r9 and 2 more (it is being cloned).',
  ]);
  const reasons = Array.from({ length: 7 }, (_, index) => ({ repo: 'r', reason: `reason ${index}` }));
  expect(notSearched(reasons)[0]).toMatch(/r \(reason 4\); and others, for 2 more reasons\.$/);
});

test('a repository that is not available is named, and nothing found is not said', async () => {
  const leftOut = new LeftOut(signal);
  await leftOut.orWithout('a', async () => undefined);
  expect(leftOut.notes).toEqual([]);
  await leftOut.orWithout('b', unavailable);
  expect(leftOut.notes).toEqual(['Not searched: b (it is being cloned).']);
  expect(() => leftOut.throwUnlessFound({ results: 0, searched: 0 })).toThrow('b (it is being cloned)');
  expect(() => leftOut.throwUnlessFound({ results: 0, searched: 1 })).not.toThrow();
});

test('other errors are not held back', () =>
  expect(
    new LeftOut(signal).orWithout('a', () => Promise.reject(new SextantError('invalid_argument', 'no'))),
  ).rejects.toThrow('no'));
