import { expect, test } from 'vitest';
import { LineMap } from './line-map.ts';

const lines = Array.from({ length: 10 }, (_, index) => index + 1);

test.each([
  ['nothing', '', [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], []],
  ['lines that are added', '@@ -5,0 +6,2 @@', [1, 2, 3, 4, 5, 8, 9, 10, 11, 12], [6, 7]],
  ['lines that are removed', '@@ -5,2 +4,0 @@', [1, 2, 3, 4, undefined, undefined, 5, 6, 7, 8], []],
  ['a line that is changed', '@@ -3 +3 @@ f()', [1, 2, undefined, 4, 5, 6, 7, 8, 9, 10], [3]],
  [
    'several of them',
    '@@ -0,0 +1 @@\n+a\n@@ -3,2 +4 @@\n@@ -7,0 +8,2 @@',
    [2, 3, undefined, undefined, 5, 6, 7, 10, 11, 12],
    [1, 4, 8, 9],
  ],
])('lines are carried over %s', (_, diff, moved, added) => {
  const map = LineMap.fromDiff(diff);
  expect(lines.map((line) => map.moved(line))).toEqual(moved);
  expect(lines.filter((line) => !map.isKept(line))).toEqual(added);
});
