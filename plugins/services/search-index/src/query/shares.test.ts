import { expect, test } from 'vitest';
import { sharesOf } from './shares.ts';

const views = [1, 2, 3, 4, 5].map((view) => ({ view, target: view, query: { kind: 'all' } as const }));
const best = { views, limits: { files: 50 } };
const numbers = (shares: ReturnType<typeof sharesOf>): number[][] =>
  shares.map((share) => share.views.map(({ view }) => view));

test('each thread gets views with about as many blocks, and every view is given once', () => {
  expect(numbers(sharesOf(best, [10, 40, 20, 25, 5], 2))).toEqual([
    [2, 1],
    [4, 3, 5],
  ]);
  expect(numbers(sharesOf(best, [Infinity, 1, 1, 1, Infinity], 2))).toEqual([
    [1, 2, 4],
    [5, 3],
  ]);
});

test('of which nothing is known stays together, and nobody gets no view', () => {
  expect(numbers(sharesOf(best, [], 2))).toEqual([[1, 2, 3, 4, 5]]);
  expect(numbers(sharesOf(best, [1, 2, 3, 4, 5], 1))).toEqual([[1, 2, 3, 4, 5]]);
  expect(numbers(sharesOf({ ...best, views: views.slice(0, 2) }, [7, 8], 3))).toEqual([[2], [1]]);
});

test('of a list of all each takes what is left, the largest first', () => {
  const shares = sharesOf({ views, limits: { files: 10_000 } }, [10, 40, 20, 25, 5], 2);
  expect(numbers(shares)).toEqual([
    [2, 4, 3, 1, 5],
    [2, 4, 3, 1, 5],
  ]);
  expect(shares[0]?.taken).toEqual(new Int32Array(1));
  expect(shares[1]?.taken).toBe(shares[0]?.taken);
});
