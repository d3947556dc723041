import { describe, expect, it } from 'vitest';
import { mayBeAddress, readingsOf } from './address.ts';

describe('the path of a page', () => {
  it.each([
    ['/shop/-/blob/src/a.ts', { repo: 'shop', view: 'blob', rest: 'src/a.ts' }],
    [
      '/git.example.com/acme/shop@v1.0/-/tree/',
      { repo: 'git.example.com/acme/shop', revision: 'v1.0', view: 'tree', rest: '' },
    ],
    ['/shop@release/2.0/-/tree', { repo: 'shop', revision: 'release/2.0', view: 'tree', rest: '' }],
    ['/shop', { repo: 'shop', view: 'tree', rest: '' }],
    ['/shop@main/', { repo: 'shop', revision: 'main', view: 'tree', rest: '' }],
    ['/shop/-/blob/a%20%23%3F%25%0A.ts', { repo: 'shop', view: 'blob', rest: 'a #?%\n.ts' }],
    ['/shop/-/blob/a/-/tree/b', { repo: 'shop', view: 'blob', rest: 'a/-/tree/b' }],
    ['/shop@feature%2F-%2Fx%40y/-/blob/a', { repo: 'shop', revision: 'feature/-/x@y', view: 'blob', rest: 'a' }],
    ['/a%40b@c/-/blob/d@e', { repo: 'a@b', revision: 'c', view: 'blob', rest: 'd@e' }],
    ['/a-b-/-/compare/x...y', { repo: 'a-b-', view: 'compare', rest: 'x...y' }],
  ])('%s', (path, first) => {
    expect(readingsOf(path)[0]).toEqual(first);
  });

  it('that can be read in several ways offers them all', () => {
    expect(readingsOf('/a/-/b/-/blob/c@d').map(({ repo, revision }) => [repo, revision])).toContainEqual([
      'a/-/b',
      undefined,
    ]);
    expect(readingsOf('/a@b/-/blob/c').map(({ repo, revision }) => [repo, revision])).toEqual([
      ['a', 'b'],
      ['a@b', undefined],
      ['a', 'b/-/blob/c'],
      ['a@b/-/blob/c', undefined],
    ]);
    expect(readingsOf('/@acme/shop/-/blob/c')[0]).toMatchObject({ repo: '@acme/shop' });
  });

  it('that no name can be read from has no readings, and a hostile one has few', () => {
    expect(readingsOf('/%E0%A4%A/-/blob/a')).toEqual([]);
    expect(readingsOf(`/${'a@/-/blob/'.repeat(500)}`).length).toBeLessThanOrEqual(12);
    expect(readingsOf(`/${'a'.repeat(20_000)}`)).toEqual([]);
  });
});

it('of the server’s own paths none is taken for a repository', () => {
  for (const path of ['/', '/.api/mcp/-/blob/x', '/.auth/x', '/.well-known/x', '/.assets/x.css', '/api/reports/x'])
    expect(mayBeAddress(path), path).toBe(false);
  for (const path of ['/shop', '/.dotfiles/-/blob/a', '/api/-/tree/', '/a/b'])
    expect(mayBeAddress(path), path).toBe(true);
});
