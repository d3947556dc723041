import { expect, test } from 'vitest';
import { chooseRanges } from './ranges.ts';

const read = {
  words: [{ stem: 'discount', weight: 1 }],
  identifiers: [],
};

/** Functions of so many lines each, the words of a line being those given for it. */
function fileOf(lengths: readonly number[], words: Readonly<Record<number, string>>) {
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const lines = Array.from({ length: total }, (_, index) => words[index + 1] ?? 'x');
  let line = 1;
  const outline = lengths.map((length) => {
    const entry = { line, endLine: line + length - 1 };
    line += length;
    return entry;
  });
  return { text: lines.join('\n'), outline };
}

function rangesOf({ text, outline }: ReturnType<typeof fileOf>): [number, number][] {
  const asked = { read, weights: [1], files: [{ text, outline, pointed: [], most: 1 }] };
  const [ranges = []] = chooseRanges(asked as never, () => false);
  return ranges.map(({ startLine, endLine }) => [startLine, endLine]);
}

test('a range ends with the definition that it would cut', () => {
  expect(rangesOf(fileOf([40, 40, 40], { 3: 'discount', 45: 'discount' }))).toEqual([[1, 80]]);
});

test('a definition that says nothing of the task is left out instead of cut', () => {
  expect(rangesOf(fileOf([40, 40, 40], { 3: 'discount' }))).toEqual([[1, 40]]);
});

test('a long definition is cut', () => {
  expect(rangesOf(fileOf([10, 400], { 3: 'discount', 20: 'discount' }))).toEqual([[1, 56]]);
});
