import { expect, test } from 'vitest';
import { sharesOf } from './shares.ts';

const views = [1, 2, 3, 4, 5].map((view) => ({ view, target: view, query: { kind: 'all' } as const }));
const numbers = (shares: ReturnType<typeof sharesOf>): number[][] =>
  shares.map((share) => share.map(({ view }) => view));

test('each thread gets views with about as many blocks, and every view is given once', () => {
  expect(numbers(sharesOf(views, [10, 40, 20, 25, 5], 2))).toEqual([
    [2, 1],
    [4, 3, 5],
  ]);
  expect(numbers(sharesOf(views, [Infinity, 1, 1, 1, Infinity], 2))).toEqual([
    [1, 2, 4],
    [5, 3],
  ]);
});

test('of which nothing is known stays together, and nobody gets no view', () => {
  expect(numbers(sharesOf(views, [], 2))).toEqual([[1, 2, 3, 4, 5]]);
  expect(numbers(sharesOf(views, [1, 2, 3, 4, 5], 1))).toEqual([[1, 2, 3, 4, 5]]);
  expect(numbers(sharesOf(views.slice(0, 2), [7, 8], 3))).toEqual([[2], [1]]);
});
