import { expect, test } from 'vitest';
import { returnPath } from './return-path.ts';

test.each(['/', '/a/b', '/a?b=c&d=%2F%2Fe', '/shop/-/blob/a%20b.ts?L3-9', '/a#b'])('%s is gone back to', (path) => {
  expect(returnPath(path)).toBe(path);
});

test.each([
  null,
  '',
  'https://evil.example',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '\\\\evil.example',
  '/.//evil.example',
  '/a/..//evil.example',
  '/%2e//evil.example',
  'javascript:alert(1)',
  'evil.example',
  `/${'a'.repeat(2000)}`,
])('%j is not, but /', (wanted) => {
  expect(returnPath(wanted)).toBe('/');
});

test('a line break cannot become a header', () => {
  expect(returnPath('/a\r\nset-cookie: b=c')).toBe('/aset-cookie:%20b=c');
});
