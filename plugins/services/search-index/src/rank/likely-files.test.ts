import { expect, test } from 'vitest';
import { LikelyFiles, scoreSteps } from './likely-files.ts';

const lists = [[0, 3, 1, 7], [], [5, 0, 1, 2]];

/** The scores of what is chosen, list by list. */
function chosen(most: number): number[][] {
  const likely = new LikelyFiles(new Int32Array(scoreSteps), 7);
  const steps = lists.map((list) => new Uint16Array(list.length));
  for (const [i, list] of lists.entries()) likely.add(Float32Array.from(list), steps[i] ?? new Uint16Array());
  return likely.choose(steps, most).map((places, i) => [...places].map((place) => lists[i]?.[place] ?? 0));
}

test.each([
  [2, [[7], [], [5]]],
  [5, [[3, 1, 7], [], [5, 2]]],
  [6, [[3, 1, 7], [], [5, 1, 2]]],
  [100, [[3, 1, 7], [], [5, 1, 2]]],
  [0, [[], [], []]],
])(
  '%d with the highest scores are chosen, the first of those that score the same, and none without a score',
  (most, expected) => {
    expect(chosen(most)).toEqual(expected);
  },
);

test('nothing is chosen where nothing has a score', () => {
  const likely = new LikelyFiles(new Int32Array(scoreSteps), 0);
  const steps = new Uint16Array(2);
  likely.add(new Float32Array(2), steps);
  expect(likely.choose([steps], 3).map(({ isEmpty }) => isEmpty)).toEqual([true]);
});
