import { expect, test } from 'vitest';
import { changedLines } from './changed-lines.ts';

const rangesOf = (...lines: number[]): { line: number; start: number; end: number }[] =>
  lines.map((line) => ({ line, start: 1, end: 2 }));

test('lines have the number that they have in the file: before the change if removed, after it if added', () => {
  const hunk = '@@ -5,4 +7,5 @@ section\n a\n-b\n-c\n+d\n+e\n+f\n g';
  expect(changedLines({ hunk, matchRanges: rangesOf(3, 4, 5, 7) })).toEqual([
    { line: 6, side: 'removed', text: 'b' },
    { line: 7, side: 'removed', text: 'c' },
    { line: 8, side: 'added', text: 'd' },
    { line: 10, side: 'added', text: 'f' },
  ]);
});

test('a missing end of line is no line, and several matches in one line are one', () => {
  const hunk = '@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b';
  expect(changedLines({ hunk, matchRanges: rangesOf(4, 4) })).toEqual([{ line: 1, side: 'added', text: 'b' }]);
});

test('where the beginning of a hunk is not shown, numbers are not known', () => {
  const hunk = '@@ -1,90 +1,90 @@\n[40 lines of this hunk are not shown]\n+b';
  expect(changedLines({ hunk, matchRanges: rangesOf(3) })).toEqual([{ line: 0, side: 'added', text: 'b' }]);
});
