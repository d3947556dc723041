import { expect, test } from 'vitest';
import { csvCells } from '../testing/csv-cells.ts';
import { csvCell, csvLines } from './csv.ts';

test.each(csvCells)('%j is written as %j', (text, written) => {
  expect(csvCell(text)).toBe(written);
});

test('numbers are no formulas, and booleans are words', () => {
  expect(csvLines([[-1.5, 7, true, false, '']])).toBe('-1.5,7,true,false,\r\n');
});

test('each row has its line end, and no rows are no text', () => {
  expect(csvLines([['a'], ['']])).toBe('a\r\n\r\n');
  expect(csvLines([])).toBe('');
});
