import { SextantError } from '@sextant/core';
import { expect, test } from 'vitest';
import { LeftOut } from './left-out.ts';

const unavailable = (): Promise<void> => Promise.reject(new SextantError('unavailable', 'It is being cloned'));

test('a repository that is not available is named, and nothing found is not said', async () => {
  const leftOut = new LeftOut();
  await leftOut.orWithout('a', async () => undefined);
  expect(leftOut.notes).toEqual([]);
  for (let number = 1; number <= 7; number += 1) await leftOut.orWithout(`r${number}`, unavailable);
  expect(leftOut.notes).toEqual(['Not searched: r1, r2, r3, r4, r5 and 2 more. It is being cloned.']);
  expect(() => leftOut.throwUnlessFound(0)).toThrow('being cloned');
  expect(() => leftOut.throwUnlessFound(1)).not.toThrow();
});

test('other errors are not held back', () =>
  expect(
    new LeftOut().orWithout('a', () => Promise.reject(new SextantError('invalid_argument', 'no'))),
  ).rejects.toThrow('no'));
