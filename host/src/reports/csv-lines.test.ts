import { csvCells } from '@sextant/core/testing';
import { describe, expect, test } from 'vitest';
import { CsvLines } from './csv-lines.ts';

function written(...rows: (string | number | boolean)[][]): string {
  const lines = new CsvLines();
  for (const row of rows) lines.add(row);
  return new TextDecoder().decode(lines.take());
}

describe('a line of CSV', () => {
  test.each([
    [['a', 1, true, false, ''], 'a,1,true,false,'],
    [['Zoë', '東京', '🙂'], 'Zoë,東京,🙂'],
    [[0, 7, 10, 99, 100, 1_234_567_890, Number.MAX_SAFE_INTEGER], '0,7,10,99,100,1234567890,9007199254740991'],
    [[-1, 1.5, -0.25, 1e21, Number.NaN], '-1,1.5,-0.25,1e+21,NaN'],
  ])('%j', (row, expected) => {
    expect(written(row)).toBe(`${expected}\r\n`);
  });

  test('is quoted, and runs nothing in a spreadsheet', () => {
    expect(written(csvCells.map(([text]) => text))).toBe(`${csvCells.map(([, cell]) => cell).join()}\r\n`);
  });

  test('is as long as it must be, whatever stands around it', () => {
    const long = 'x'.repeat(100_000);
    expect(written(['a', long, 1, long], [long])).toBe(`a,${long},1,${long}\r\n${long}\r\n`);
    const many = Array.from({ length: 100_000 }, (_, index) => index);
    expect(written(many)).toBe(`${many.join()}\r\n`);
  });

  test('is the same when more texts come than are remembered', () => {
    const texts = Array.from({ length: 25_000 }, (_, index) => `=${index}`);
    expect(written(texts, texts)).toBe(`${texts.map((text) => `'${text}`).join()}\r\n`.repeat(2));
  });
});

test('what is taken is not written into again', () => {
  const lines = new CsvLines();
  lines.add(['first']);
  const taken = lines.take();
  expect(lines.length).toBe(0);
  lines.add(['other']);
  expect(new TextDecoder().decode(taken)).toBe('first\r\n');
});
