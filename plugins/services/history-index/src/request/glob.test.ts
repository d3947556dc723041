import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathRegex } from './glob.ts';
import { HistoryPatterns } from './patterns.ts';

const patterns = new HistoryPatterns();

function matches(glob: string, path: string): boolean {
  const list = { patterns: [pathRegex(glob)], argument: 'files', isRegex: true, foldCase: false };
  const matcher = patterns.anyOf(list);
  try {
    return matcher?.test(path) === true;
  } finally {
    matcher?.release();
  }
}

test('a glob means the paths that git means by it', () => {
  using folder = temporaryFolder();
  const paths = ['a.ts', 'src/a.ts', 'src/b.js', 'src/io/a.ts', 'docs/a b.md', 'ab', 'b', 'x[1].c', 'src/-a'];
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop') });
  builder.commit({ files: Object.fromEntries(paths.map((path) => [path, ''])) });
  const part = fc.constantFrom(
    'a',
    'b',
    'src',
    'io',
    '/',
    '.',
    'ts',
    '*',
    '?',
    '[ab]',
    '[!a]',
    '[a-c]',
    '\\[',
    'ö',
    '-',
    '[[:alpha:]]',
  );
  const glob = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
  // Git refuses a path outside; two slashes and ours beside `**/` are told below.
  const plain = glob.filter((text) => !/^[./]|\/\/|\/\.|\*\*/.test(text));
  fc.assert(
    fc.property(plain, (text) => {
      const args = ['-C', builder.folder, 'log', '-1', '--format=', '--name-only', '-z', 'main', '--', text];
      const found = execFileSync('git', args)
        .toString()
        .split('\0')
        .map((name) => name.trim());
      expect([text, paths.filter((path) => matches(text, path)).toSorted()]).toEqual([
        text,
        found.filter(Boolean).toSorted(),
      ]);
    }),
    { numRuns: 150, seed: 9 },
  );
});

describe('globs as people write them', () => {
  test.each([
    ['**/a.ts', 'a.ts', true],
    ['**/a.ts', 'src/io/a.ts', true],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**', 'src/io/a.ts', true],
    ['./src', 'src/a.ts', true],
    ['a\n*', 'a\nb', true],
    ['a\nb', 'a\nb/c', true],
    ['a\nb', 'a b', false],
    [String.raw`a\u000ab`, 'a\nb', true],
    [String.raw`a\u000ab\[`, 'a\nb[', true],
    [String.raw`a\u000ab`, String.raw`a\u000ab`, true],
    ['/src/', 'src/a.ts', true],
    ['src', 'srcs/a.ts', false],
    ['a.ts', 'a_ts', false],
  ])('%s and %s: %s', (glob, path, expected) => {
    expect(matches(glob, path)).toBe(expected);
  });

  test('a class that does not end is refused', () => {
    expect(() => pathRegex('src/[ab')).toThrow('the glob "src/[ab" has a "[" without "]"; write \\[ for the character');
  });

  test('a hostile glob takes no longer than another', () => {
    expect(matches(`${'*a'.repeat(40)}b`, 'a'.repeat(4000))).toBe(false);
  });
});
