import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';

const large = 'word\n'.repeat(400);
const files = {
  'a.json': 'word\n',
  'large.json': large,
  'data/é\n.json': large,
  'data/a.bin': 'word\0',
  'logo.png': large,
  'data/b.txt': '',
};
const more = 'read_file shows lines of text of any size.';

test('of files that are found by name only it is said that their text was not searched, where file: means them', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  builder.commit({ files });
  const repositories = { shop: builder.folder };
  await using started = await startSearch({
    folder: folder.path,
    repositories,
    hidden: [],
    settings: { maxFileBytes: 1024 },
  });
  const find = async (query: string): Promise<SearchResult> => {
    const request = { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits } as const;
    return started.search.find(callerOf('alice'), request, new AbortController().signal);
  };
  for (const [query, notes] of [
    ['word file:json$', [`Searched by name only, as too large: data/é\n.json, large.json. ${more}`]],
    ['word file:json$ -file:^data', [`Searched by name only, as too large: large.json. ${more}`]],
    ['word file:^data/', [`Searched by name only, as too large, or no text: data/a.bin, data/é\n.json. ${more}`]],
    ['word', []],
    ['file:json$', []],
    ['type:path large file:json$', []],
  ] as const)
    expect((await find(query)).notes, query).toEqual(notes);
  for (const [query, files] of [
    ['word', 2],
    ['word file:^large', 1],
    ['word file:^data/', 2],
    ['word lang:json -file:^data', 1],
    ['word lang:go', 0],
    ['file:json$', 0],
    ['type:path large', 0],
  ] as const)
    expect((await find(query)).notSearched?.files ?? 0, query).toBe(files);
  const reasons = [`Searched by name only, as too large: data/é\n.json, large.json. ${more}`];
  expect(await find('word')).toMatchObject({ notSearched: { files: 2, reasons }, notes: [] });
});
