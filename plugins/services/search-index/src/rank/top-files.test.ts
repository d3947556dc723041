import { expect, test } from 'vitest';
import { noScores, SharedThreshold } from './top-files.ts';

/** Two threads of a search for three files, of which many match. */
function threads(): [SharedThreshold, SharedThreshold] {
  const shared = noScores(3);
  const both: [SharedThreshold, SharedThreshold] = [new SharedThreshold(shared), new SharedThreshold(shared)];
  for (let i = 0; i < 9; i += 1) both[i % 2]?.countFile();
  return both;
}

test('what the best files score is known to all threads, wherever they are', () => {
  const [one, other] = threads();
  one.add(2.5, 0);
  other.add(1, 5);
  expect(one.isReached(0.5, 9)).toBe(true);
  other.add(3, 1);
  expect([one, other].map((best) => [best.isReached(0.75, 0), best.isReached(1.25, 9)])).toEqual([
    [false, true],
    [false, true],
  ]);
  one.add(2, 2);
  expect([other.isReached(1.25, 0), other.isReached(2, 2), other.isReached(2.25, 9)]).toEqual([false, true, true]);
});

test('of as many points those of a later target are not wanted', () => {
  const [one, other] = threads();
  for (const target of [7, 3, 5]) one.add(2.5, target);
  expect([other.isReached(2.5, 7), other.isReached(2.5, 8)]).toEqual([true, false]);
  other.add(2.5, 4);
  expect([one.isReached(2.5, 5), one.isReached(2.5, 6)]).toEqual([true, false]);
});

test('none is left out until more match than are wanted', () => {
  const best = new SharedThreshold(noScores(2));
  for (const score of [4, 3]) {
    best.countFile();
    best.add(score, 0);
  }
  expect(best.isReached(1, 0)).toBe(true);
  best.countFile();
  expect(best.isReached(1, 0)).toBe(false);
});

test('who wants very many files is shown all of them', () => {
  const best = new SharedThreshold(noScores(100_000));
  for (let i = 0; i < 1000; i += 1) {
    best.countFile();
    best.add(5, 0);
  }
  expect(best.isReached(1, 9)).toBe(true);
});
