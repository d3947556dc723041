import { expect, test } from 'vitest';
import { PageLinks } from './page-links.ts';

const links = new PageLinks('https://code.example.com');

test.each([
  [{ repo: 'acme/shop', path: 'src/a.ts' }, '/acme/shop/-/blob/src/a.ts'],
  [{ repo: 'acme/shop', path: 'src/a.ts', startLine: 3, endLine: 9 }, '/acme/shop/-/blob/src/a.ts?L3-9'],
  [{ repo: 'acme/shop', path: 'a', startLine: 3, endLine: 3 }, '/acme/shop/-/blob/a?L3'],
  [{ repo: 'c++', path: "lib~/(a)*!'_b-1.c++" }, "/c++/-/blob/lib~/(a)*!'_b-1.c++"],
  [
    { repo: 'shop', path: 'a b/ü#?%.ts', revision: 'feature/x@2' },
    '/shop@feature/x%402/-/blob/a%20b/%C3%BC%23%3F%25.ts',
  ],
  [{ repo: 'shop', path: '', revision: 'v1' }, '/shop@v1'],
])('%j', (target, path) => {
  expect(links.file(target)).toBe(`https://code.example.com${path}`);
});

test('a commit has its page in its repository', () => {
  expect(links.commit('acme/my shop', 'ab12')).toBe('https://code.example.com/acme/my%20shop/-/commit/ab12');
});
