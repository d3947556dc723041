import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();

const lines = [
  'export function cart(item) {',
  'return cart(item);',
  'the carts of a shop',
  'const price = cart;',
  'price != null',
  '// nothing of interest',
  'class Price {}',
  'function cartPrice(item) {',
  'cart_price(item);',
];
const folders = ['src', 'test', 'docs', 'vendor/lib', 'examples'];
const names = ['cart', 'cartography', 'price', 'main', 'shop', 'index'];
/** Used everywhere, defined in few files. */
const common = (i: number): string => 'pay(now);\n'.repeat(10) + (i % 97 === 50 ? 'function pay(when) {\n' : '');
const filler = 'what fills a block with text that nobody looks for in a search\n'.repeat(64);

/** More text than is looked at without choosing. */
function manyFiles(count: number, seed: number): Record<string, string> {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const path = (i: number): string =>
    `${folders[random(folders.length)]}/${names[random(names.length)]}${i % 9 === 0 ? '' : i}.${i % 2 ? 'ts' : 'go'}`;
  const text = (): string => Array.from({ length: random(6) }, () => `${lines[random(lines.length)]}\n`).join('');
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [path(i), text() + filler + common(i) + text()]));
}

/** Names of the files that are found, best first. */
async function ranked(started: StartedSearch, query: string): Promise<string[]> {
  const { files } = await found(started, `${query} select:file`);
  return files.map(({ repo, path }) => `${repo} ${path}`);
}

const found = async ({ search }: StartedSearch, query: string, characters = 200_000): Promise<SearchResult> =>
  search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'keyword', limits: { ...defaultSearchLimits, characters } },
    signal,
  );

/** Names of the files that are found by their text, with room for everything, of which no match is shown. */
async function withoutLines({ search }: StartedSearch, query: string): Promise<string[]> {
  const limits = { ...defaultSearchLimits, characters: Infinity };
  const { files, fileCount } = await search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'keyword', limits },
    signal,
  );
  expect(files).toHaveLength(fileCount);
  return files.filter(({ matches }) => matches.length === 0).map(({ path }) => path);
}

const queriesForBest = [
  'cart',
  'cart case:yes',
  'price',
  'pay',
  '"!= null"',
  '/c[a-z]rts?/',
  'cart price',
  'price cart item',
  'cart price item',
  'cart OR interest',
  'cart OR price OR interest',
  'function pay when',
  'cart -price',
  'cart -file:test lang:go',
  '-cart',
  'file:cart',
  'price file:cart',
  'type:path cart',
  '(file:main cart) OR (file:shop -price)',
];

test('the best files are those that sorting all of them gives, from all repositories', async () => {
  using folder = temporaryFolder();
  const repositories = Object.fromEntries(
    [300, 5400, 40].map((count, i) => {
      const builder = new RepositoryBuilder({ folder: join(folder.path, `${i}.git`), isBare: true });
      builder.commit({ files: manyFiles(count, i) });
      return [`shop${i}`, builder.folder] as const;
    }),
  );
  await using started = await startSearch({ folder: folder.path, repositories });
  const best = new Map<string, readonly string[]>();
  for (const query of queriesForBest) {
    const all = await ranked(started, `${query} count:all`);
    expect(all.length, query).toBeGreaterThan(15);
    best.set(query, all.slice(0, 15));
    expect(await ranked(started, query), query).toEqual(best.get(query));
    const [first, ...again] = await Promise.all([1, 2, 3].map(() => found(started, query)));
    expect(again, query).toEqual([first, first]);
  }
  await started.ready();
  for (const [query, files] of best) expect(await ranked(started, query), query).toEqual(files);
  for (const query of ['pay count:all', 'cart OR pay count:all', '-cart count:all']) {
    const all = await found(started, query, Infinity);
    const { files, ...counts } = await found(started, query, 4000);
    expect(files.length, query).toBeGreaterThan(3);
    expect(files, query).toEqual(all.files.slice(0, files.length));
    expect(counts, query).toMatchObject({ fileCount: all.fileCount, matchCount: all.matchCount, limitHit: true });
  }
  expect(await withoutLines(started, 'pay file:^src count:all')).toEqual([]);
});
