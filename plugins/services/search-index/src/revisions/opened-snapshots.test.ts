import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSearch } from '../testing/start-search.ts';
import type { StartedSearch } from '../testing/start-search.ts';

const { signal } = new AbortController();
const folder = temporaryFolder();
let started: StartedSearch;

beforeAll(async () => {
  const made = (name: string, tag: string): RepositoryBuilder => {
    const builder = new RepositoryBuilder({ folder: join(folder.path, name), isBare: true });
    builder.commit({ files: { 'a.ts': 'needle\n' } });
    builder.tag({ name: tag });
    return builder;
  };
  const [shop, lib, vault] = [made('shop', '13.0.0'), made('lib', 'lib-1'), made('vault', 'vault-1')];
  const commit = shop.git('rev-parse', 'main');
  const tags = Array.from({ length: 10_001 }, (_, i) => `refs/tags/x${String(i).padStart(5, '0')}`);
  writeFileSync(join(shop.folder, 'packed-refs'), tags.map((tag) => `${commit} ${tag}\n`).join(''));
  const repositories = { shop: shop.folder, lib: lib.folder, vault: vault.folder };
  started = await startSearch({ folder: folder.path, repositories, hidden: ['vault'] });
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const find = async (query: string): Promise<SearchResult> =>
  started.search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits },
    signal,
  );
const listed = 'list_refs shows the branches and tags.';

describe('a revision that no repository has is refused with what was probably meant', () => {
  test.each([
    ['needle rev:mian', `revision "mian" not found; ${listed} Did you mean "main"?`],
    ['needle rev:13.0', `revision "13.0" not found; ${listed} Did you mean "13.0.0"?`],
    ['needle rev:1*', 'revision "1*" not found; no branch has such a name, but tags do: rev:refs/tags/1*'],
    ['needle rev:vault-2', `revision "vault-2" not found; ${listed}`],
    ['needle repo:lib rev:13.0.1', `revision "13.0.1" not found; ${listed} The default branch is "main".`],
  ])('%s', (query, message) => expect(find(query)).rejects.toMatchObject({ code: 'not_found', message }));
});

test('beside another that there is, it is noted; and one that only some have', async () => {
  const { files, notes } = await find('needle rev:main:mian:13.0.0');
  expect(files.map(({ repo, revision }) => `${repo}@${revision}`)).toEqual(['lib@main', 'shop@main', 'shop@13.0.0']);
  expect(notes).toEqual([
    `No repository has the revision "mian"; ${listed} Did you mean "main"?`,
    'Not every repository has the revision "13.0.0".',
  ]);
});

test('of more than ten thousand tags a glob finds the last', async () => {
  expect((await find('needle rev:refs/tags/x1000*')).files.map(({ revision }) => revision)).toEqual(['x10000']);
});
