import { expect, test } from 'vitest';
import { likeliest } from './likely-files.ts';

/** What is chosen and what is not, of the scores above 0. */
function split(lists: readonly number[][], least: number): { inside: number[]; outside: number[] } {
  const chosen = likeliest(
    lists.map((list) => Float32Array.from(list)),
    least,
  );
  const all = lists.flatMap((list, i) => list.map((score, place) => ({ score, isIn: chosen[i]?.has(place) ?? false })));
  const scored = all.filter(({ score, isIn }) => score > 0 || isIn);
  const scoresOf = (wanted: boolean): number[] =>
    scored.flatMap(({ score, isIn }) => (isIn === wanted ? [score] : [])).sort((a, b) => a - b);
  return { inside: scoresOf(true), outside: scoresOf(false) };
}

test.each([
  [2, { inside: [5, 7], outside: [1, 1, 2, 3] }],
  [5, { inside: [1, 1, 2, 3, 5, 7], outside: [] }],
  [100, { inside: [1, 1, 2, 3, 5, 7], outside: [] }],
  [0, { inside: [], outside: [1, 1, 2, 3, 5, 7] }],
])('at least %d with the highest scores are chosen, ties together, and none without a score', (least, expected) => {
  expect(split([[0, 3, 1, 7], [], [5, 0, 1, 2]], least)).toEqual(expected);
});

test('nothing is chosen where nothing has a score', () => {
  expect(split([[0, 0], []], 3)).toEqual({ inside: [], outside: [] });
});
