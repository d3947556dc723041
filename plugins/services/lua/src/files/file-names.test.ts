import { expect, test } from 'vitest';
import { mediaTypeOf, requireFileName } from './file-names.ts';

test.each([
  ['a.csv', 'text/csv'],
  ['b.json', 'application/json'],
  ['c.svg', 'image/svg+xml'],
  ['d.txt', 'text/plain'],
  ['with space.v2.md', 'text/markdown'],
  ['übersicht.md', 'text/markdown'],
])('%s is %s', (name, type) => {
  expect(() => requireFileName(name)).not.toThrow();
  expect(mediaTypeOf(name)).toBe(`${type}; charset=utf-8`);
});

test.each([
  ['a.html', 'must end in .csv, .json, .md, .svg, .txt'],
  ['a.CSV', 'must end in'],
  ['a.cvs', 'Did you mean "csv"?'],
  ['csv', 'must end in'],
  ['../a.csv', 'a name is 1 to 100 letters'],
  ['/etc/a.csv', 'a name is 1 to 100 letters'],
  ['a\\b.csv', 'a name is 1 to 100 letters'],
  ['.csv', 'a name is 1 to 100 letters'],
  ['a\nb.csv', 'a name is 1 to 100 letters'],
  ['a\0.csv', 'a name is 1 to 100 letters'],
  ['', 'a name is 1 to 100 letters'],
  [`${'a'.repeat(100)}.csv`, 'a name is 1 to 100 letters'],
])('%j is refused', (name, message) => {
  expect(() => requireFileName(name)).toThrow(message);
});
