import { expect, test } from 'vitest';
import { shownLine } from './shown-line.ts';

test('a line that fits is shown as it is, without its CR', () => {
  expect(shownLine('a needle\r', [[2, 8]], 8)).toEqual({ text: 'a needle', ranges: [[2, 8]] });
  expect(shownLine('a\r', [[1, 2]], 8)).toEqual({ text: 'a', ranges: [] });
});

test('a match that is cut is marked as far as it is shown', () =>
  expect(shownLine('a needle', [[2, 8]], 5)).toEqual({ text: 'a ne…', ranges: [[2, 4]] }));

test('a match that is not shown is not marked', () =>
  expect(
    shownLine(
      'a needle x',
      [
        [0, 1],
        [9, 10],
      ],
      5,
    ),
  ).toEqual({ text: 'a ne…', ranges: [[0, 1]] }));

test('a late match is shown with some text before it', () =>
  expect(shownLine(`${'x'.repeat(20)}needle${'y'.repeat(20)}`, [[20, 26]], 16)).toEqual({
    text: '…xxxxneedleyyyy…',
    ranges: [[5, 11]],
  }));
