import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchRequest, SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { searchIndexer } from './commands.ts';
import type { Snapshot } from './snapshot/snapshot.ts';
import type { Indexer } from './indexing/indexer.ts';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();
const limits = { ...defaultSearchLimits, characters: Infinity };

async function find(
  { search }: StartedSearch,
  query: string,
  mode: SearchRequest['mode'] = 'keyword',
): Promise<SearchResult> {
  return search.find(callerOf('alice'), { ...parseQuery(query), mode, limits }, signal);
}

/** Paths and numbers of matches, the best first. */
const shown = ({ files }: SearchResult): unknown[] => files.map(({ path, matchCount }) => [path, matchCount]);

interface Shop extends Disposable {
  readonly builder: RepositoryBuilder;
  start(): Promise<StartedSearch>;
}

/** A repository whose first commit, `main~1`, has so many files that the second has no more. */
function shopOf(count: number): Shop {
  const folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const files = Array.from({ length: count }, (_, i) => {
    const text = `export function order${i}() {\n  return customer.pay(${i % 7});\n}\n${'plain text; '.repeat(i % 90)}\n`;
    return [`src/n${i}.ts`, text] as const;
  });
  builder.commit({ files: Object.fromEntries(files) });
  builder.commit({ files: Object.fromEntries(files.map(([path]) => [path, `moved ${path}\n`])) });
  return {
    builder,
    start: () => startSearch({ folder: folder.path, repositories: { shop: builder.folder } }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

async function held(indexer: Indexer, commit: string): Promise<Disposable & { snapshot: Snapshot }> {
  const snapshot = await indexer.snapshot('shop', commit, signal);
  return { snapshot, [Symbol.dispose]: () => snapshot.release() };
}

const queries = [
  'order12',
  'order12 -order123 count:all',
  '/pay\\([36]\\)/ count:all',
  '"}\nplain text" count:all',
  'customer OR n4 count:all',
  'file:n1 pay count:all',
].map((query) => `${query} rev:main~1`);

test('a revision of many files that no index has is searched, and finds the same again', async () => {
  using shop = shopOf(300);
  await using started = await shop.start();
  await started.ready();
  await find(started, 'moved');
  const first: unknown[] = [];
  for (const query of queries) first.push(shown(await find(started, query)));
  expect(first[0]).toContainEqual(['src/n12.ts', 1]);
  expect(first[3]).toHaveLength(300 - Math.ceil(300 / 90));
  for (const [i, query] of queries.entries()) expect(shown(await find(started, query)), query).toEqual(first[i]);
});

test('a question about a revision that no index has finds the same at first as later', async () => {
  using shop = shopOf(300);
  const question = 'where does the customer pay order 12? rev:main~1';
  await using started = await shop.start();
  await started.ready();
  const [all, asked] = await Promise.all([
    find(started, 'pay count:all rev:main~1'),
    find(started, question, 'natural'),
  ]);
  expect(all.files).toHaveLength(300);
  expect(shown(asked).length).toBeGreaterThan(0);
  expect(shown(await find(started, question, 'natural'))).toEqual(shown(asked));
});

test('who asks for more revisions than one finds them again without having them read again', async () => {
  using shop = shopOf(3);
  const commits = Array.from({ length: 12 }, (_, i) => shop.builder.commit({ files: { 'n.txt': `number ${i}\n` } }));
  await using started = await shop.start();
  const { indexer } = started.services.resolve({ indexer: searchIndexer });
  const [first = ''] = commits;
  using before = await held(indexer, first);
  expect((await find(started, `number count:all rev:${commits.join(':')}`)).files).toHaveLength(12);
  using after = await held(indexer, first);
  expect(after.snapshot).toBe(before.snapshot);
});

test('what one server has indexed for a search is found by the next one', async () => {
  using shop = shopOf(300);
  const before = await (async () => {
    await using started = await shop.start();
    return shown(await find(started, 'pay count:all rev:main~1'));
  })();
  await using started = await shop.start();
  expect(shown(await find(started, 'pay count:all rev:main~1'))).toEqual(before);
  await started.ready();
  expect(shown(await find(started, 'pay count:all rev:main~1'))).toEqual(before);
});
