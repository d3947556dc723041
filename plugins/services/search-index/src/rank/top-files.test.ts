import { expect, test } from 'vitest';
import { noScore, SharedThreshold, TopFiles } from './top-files.ts';

/** Counts and keeps files with these scores. The rest of a file does not matter here. */
function take(top: TopFiles, target: number, scores: readonly number[]): void {
  for (const [file, score] of scores.entries()) {
    top.count(1);
    top.add({ target, file, score } as unknown as Parameters<TopFiles['add']>[0]);
  }
}

/** Two threads of a search for so many files. */
function threads(files: number): [TopFiles, TopFiles] {
  const shared = noScore();
  return [new TopFiles({ files }, new SharedThreshold(shared)), new TopFiles({ files }, new SharedThreshold(shared))];
}

/** With these a search has counted enough files. */
const others = Array<number>(200).fill(0.5);

test('what the best files score is known to all threads, wherever they are', () => {
  const [one, other] = threads(3);
  take(one, 0, [2.5, 1, 3, 2, ...others]);
  expect([one, other].map((top) => [top.canStillWin(1.75, 0), top.canStillWin(2.25, 9)])).toEqual([
    [false, true],
    [false, true],
  ]);
});

test('of as many points those of a later target, or a later file, are not wanted', () => {
  const [one, other] = threads(3);
  take(one, 5, [2.5, 2.5, 2.5, 2.5, ...others]);
  expect([one.canStillWin(2.5, 4), one.canStillWin(2.5, 5, 1), one.canStillWin(2.5, 5, 3)]).toEqual([
    true,
    true,
    false,
  ]);
  // Another thread cannot tell which of equal files is first.
  expect(other.canStillWin(2.5, 7)).toBe(true);
});

test.each([2, 300])('of a search for %d none is left out until enough match to tell how many', (files) => {
  const [top] = threads(files);
  take(top, 0, Array<number>(Math.max(199, files)).fill(4));
  expect(top.canStillWin(1, 0)).toBe(true);
  take(top, 0, [2]);
  expect(top.canStillWin(1, 0)).toBe(false);
});

test('who wants very many files is shown all of them', () => {
  const [top, other] = threads(100_000);
  take(top, 0, Array<number>(1000).fill(5));
  expect([top.canStillWin(1, 9), other.canStillWin(1, 9), top.best.length]).toEqual([true, true, 1000]);
});
