import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
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
  const notesOf = async (query: string): Promise<readonly string[]> => {
    const request = { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits } as const;
    return (await started.search.find(callerOf('alice'), request, new AbortController().signal)).notes;
  };
  for (const [query, notes] of [
    ['word file:json$', [`Searched by name only, as too large: data/é\n.json, large.json. ${more}`]],
    ['word file:json$ -file:^data', [`Searched by name only, as too large: large.json. ${more}`]],
    ['word file:^data/', [`Searched by name only, as too large, or no text: data/a.bin, data/é\n.json. ${more}`]],
    ['word', []],
    ['file:json$', []],
    ['type:path large file:json$', []],
  ] as const)
    expect(await notesOf(query), query).toEqual(notes);
});
