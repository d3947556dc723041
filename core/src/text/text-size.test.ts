import { expect, test } from 'vitest';
import { beginningWithin, fitsSize, textSize } from './text-size.ts';

test('prose and code are as large as their bytes', () => {
  const prose = 'The first search that meets the new commit waits for it, for some seconds at most.\n';
  expect(textSize(prose)).toBe(prose.length);
});

test('what has more tokens than its bytes tell is larger', () => {
  const checksum = 'h1:8Tjv8EJ+pM1xP8mK6egEbD1OgnVTyacbefKhmbLhIhU=';
  expect(textSize(checksum)).toBeGreaterThan(2 * checksum.length);
  expect(textSize('検索')).toBe(9);
});

test('a text that is within a size is not counted as larger', () => {
  expect([fitsSize('a b c', 21), fitsSize('a b c', 12)]).toEqual([true, false]);
});

test('the beginning of a text is made of whole lines, as many as fit', () => {
  const lines = Array.from({ length: 100 }, (_, line) => `line ${line}`).join('\n');
  const beginning = beginningWithin(lines, 400);
  expect(lines.startsWith(`${beginning}\n`)).toBe(true);
  expect(textSize(beginning)).toBeLessThanOrEqual(400);
  expect(textSize(beginning)).toBeGreaterThan(350);
});

test('of a first line that is too long it is a part, without half a character', () => {
  expect(beginningWithin('x'.repeat(1000), 84)).toBe('x'.repeat(20));
  expect(beginningWithin('😀'.repeat(1000), 63)).toBe('😀'.repeat(7));
});
