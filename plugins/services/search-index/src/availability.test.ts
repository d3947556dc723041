import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultSearchLimits, Fetches, parseQuery, Search } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { SextantError } from '@sextant/core';
import type { ServiceStatus } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { indexFolderOf } from '@sextant/library-workers';
import git from '@sextant/service-git';
import { describe, expect, test, vi } from 'vitest';
import plugin from './index.ts';
import { RepositoryReader } from './shards/repository-reader.ts';
import { SharedIndex } from './shards/shared-index.ts';
import { SearchScheduler } from './pool/scheduler.ts';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();
const find = async ({ search }: Pick<StartedSearch, 'search'>, query: string): Promise<SearchResult> =>
  search.find(callerOf('alice'), { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits }, signal);

function repositoryIn(folder: string, name: string): RepositoryBuilder {
  const builder = new RepositoryBuilder({ folder: join(folder, `${name}.git`), isBare: true });
  builder.commit({ files: { 'a.ts': 'export const needle = 1;\n' } });
  return builder;
}

describe('a repository that cannot be read', () => {
  const withDamage = async (): Promise<StartedSearch & { shop: RepositoryBuilder }> => {
    const folder = temporaryFolder();
    const [shop, broken] = [repositoryIn(folder.path, 'shop'), repositoryIn(folder.path, 'broken')];
    const tree = broken.git('rev-parse', 'main^{tree}');
    rmSync(join(broken.folder, 'objects', tree.slice(0, 2), tree.slice(2)));
    const repositories = { shop: shop.folder, broken: broken.folder };
    const started = await startSearch({ folder: folder.path, repositories });
    const end = started[Symbol.asyncDispose];
    return {
      ...started,
      shop,
      [Symbol.asyncDispose]: async () => {
        await end();
        folder[Symbol.dispose]();
      },
    };
  };

  test('is left out of a search over many, and the answer says so', async () => {
    await using started = await withDamage();
    const { files, notes, limitHit } = await find(started, 'needle');
    expect(files.map(({ repo }) => repo)).toEqual(['shop']);
    expect([limitHit, notes]).toEqual([true, [expect.stringMatching(/^Not searched: broken \(/)]]);
  });

  test('is an error where nothing else is searched, and said where nothing is found: never only "nothing found"', async () => {
    await using started = await withDamage();
    await expect(find(started, 'needle repo:broken')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/not all was searched: broken \(/),
    });
    const { files, notes, limitHit } = await find(started, 'nowhere');
    expect([files, limitHit, notes]).toEqual([[], true, [expect.stringMatching(/^Not searched: broken \(/)]]);
    await started.ready();
    const operators = (): unknown => started.status()['search']?.failures;
    await expect
      .poll(operators)
      .toEqual([
        expect.objectContaining({ name: 'broken', reason: expect.stringMatching(/^git .*exited 128: .*fatal: /) }),
      ]);
  });

  test('is what `sextant index` ends with', async () => {
    await using started = await withDamage();
    await expect(started.run('index', {})).rejects.toThrow(
      /^1 of 2 repositories could not be indexed; the first: broken: git /,
    );
  });
});

test('the index of a repository that is served no more leaves memory and disk, and is made again when it is back', async () => {
  using folder = temporaryFolder();
  const inside = (...names: string[]): string => join(folder.path, ...names);
  for (const each of ['served', 'data']) mkdirSync(inside(each));
  for (const name of ['lib', 'shop']) repositoryIn(inside('served'), name);
  const [paths, release] = [vi.spyOn(SharedIndex.prototype, 'paths'), vi.spyOn(SharedIndex.prototype, 'release')];
  await using started = await startPlugins(inside('data'), [
    [git, { repositories: [{ path: inside('served') }], watchSeconds: 0.1 }],
    [plugin, { threads: 1, memoryBytes: 64 << 20, removeAfterSeconds: 0.1 }],
  ]);
  await started.ready();
  const { search, fetches } = started.services.resolve({ search: Search, fetches: Fetches });
  const rescan = (): Promise<string[]> => fetches.queue(callerOf('root', { isSiteAdmin: true }), undefined);
  const found = async (): Promise<string[]> =>
    (await find({ search }, 'needle')).files.map(({ repo }) => repo).toSorted();
  const folderOf = (name: string): string => inside('data', 'search-index', indexFolderOf(name));
  const indexed = (): string[] => ['lib', 'shop'].filter((name) => existsSync(folderOf(name)));
  await expect.poll(found).toEqual(['lib', 'shop']);
  expect(indexed()).toEqual(['lib', 'shop']);

  renameSync(inside('served', 'shop.git'), inside('shop.git'));
  await rescan();
  await expect.poll(indexed).toEqual(['lib']);
  expect(await found()).toEqual(['lib']);
  const ofShop = paths.mock.results.filter((_, call) => paths.mock.calls[call]?.[0] === folderOf('shop'));
  const loaded = await Promise.all(ofShop.map(({ value }) => value));
  expect(loaded.length).toBeGreaterThan(0);
  const released = release.mock.calls.flat(2);
  expect(released).toEqual(expect.arrayContaining(loaded.flatMap(({ address, handle }) => [address, handle.address])));

  renameSync(inside('shop.git'), inside('served', 'shop.git'));
  await rescan();
  await expect.poll(found).toEqual(['lib', 'shop']);
  expect(indexed()).toEqual(['lib', 'shop']);
  for (const spy of [paths, release]) spy.mockRestore();
});

test('nobody waits while what could not be indexed is tried again, however long that takes', async () => {
  using folder = temporaryFolder();
  const shop = repositoryIn(folder.path, 'shop');
  writeFileSync(join(shop.folder, 'shallow'), 'not a sha\n');
  const retry = Promise.withResolvers<void>();
  const { promise: waiting, resolve: isTriedAgain } = Promise.withResolvers<void>();
  const read = vi.spyOn(RepositoryReader.prototype, 'tree').mockImplementation(async function* () {
    yield [];
    if (read.mock.calls.length > 1) {
      isTriedAgain();
      await retry.promise;
    }
    throw new SextantError('unavailable', 'git could not read it');
  });
  const settings = { waitSeconds: 2 };
  await using started = await startSearch({ folder: folder.path, repositories: { shop: shop.folder }, settings });
  try {
    await started.ready();
    await waiting;
    for (const mode of ['keyword', 'natural'] as const)
      await expect(
        started.search.find(callerOf('alice'), { ...parseQuery('needle'), mode, limits: defaultSearchLimits }, signal),
      ).rejects.toMatchObject({ message: expect.stringMatching(/shop since .+ \(git could not read it\)$/) });
  } finally {
    retry.resolve();
    read.mockRestore();
  }
});

test('where a new commit cannot be indexed the one before is searched, answers say why, and it is tried again without a search', async () => {
  using folder = temporaryFolder();
  const shop = repositoryIn(folder.path, 'shop');
  await using started = await startSearch({ folder: folder.path, repositories: { shop: shop.folder } });
  await started.ready();
  const search = (): ServiceStatus | undefined => started.status()['search'];
  await expect.poll(() => search()?.isReady).toBe(true);
  const before = shop.git('rev-parse', 'main');
  const next = shop.commit({ branch: 'next', parents: [before], files: { 'b.ts': 'export const needle = 2;\n' } });
  const tree = shop.git('rev-parse', 'next^{tree}');
  const object = join(shop.folder, 'objects', tree.slice(0, 2), tree.slice(2));
  renameSync(object, `${object}.away`);
  shop.git('update-ref', 'refs/heads/main', next);

  for (let time = 0; time < 3; time += 1) {
    const { files, notes, limitHit } = await find(started, 'needle');
    expect(files.map(({ path, commit }) => [path, commit])).toEqual([['a.ts', before]]);
    expect(notes).toEqual([
      expect.stringMatching(/^The last change of shop could not be indexed \(.+\): searched as before it\.$/),
    ]);
    expect(limitHit).toBe(false);
  }
  expect(search()).toMatchObject({
    isReady: true,
    detail: { failed: 1, failures: expect.not.stringContaining('shop') },
  });

  renameSync(`${object}.away`, object);
  await expect.poll(() => search()?.detail['failed']).toBe(0);
  expect((await find(started, 'needle')).files.map(({ commit }) => commit)).toEqual([next, next]);
});

test('a search that does not want to wait for the index says what it left out', async () => {
  using folder = temporaryFolder();
  const shop = repositoryIn(folder.path, 'shop');
  const settings = { waitSeconds: 0 };
  await using started = await startSearch({ folder: folder.path, repositories: { shop: shop.folder }, settings });
  await expect(find(started, 'needle')).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/shop \(repository "shop" is still being indexed; search it again in a moment\)$/),
  });
  await started.ready();
  await expect.poll(() => started.status()['search']?.isReady).toBe(true);
  expect((await find(started, 'needle')).fileCount).toBe(1);
});

test('who goes through a history of many files makes room for each commit by another', async () => {
  using folder = temporaryFolder();
  const shop = repositoryIn(folder.path, 'shop');
  // What is known of 3,000 files takes more than a twentieth of the room for commits that are no branch.
  const paths = Array.from({ length: 3000 }, (_, i) => `${'folder/'.repeat(10)}${i}.txt`);
  shop.commit({ files: Object.fromEntries(paths.map((path) => [path, 'same\n'])) });
  const commits = Array.from({ length: 20 }, (_, i) => shop.commit({ files: { 'n.txt': `number ${i % 2}\n` } }));
  const settings = { memoryBytes: 32 << 20 };
  await using started = await startSearch({ folder: folder.path, repositories: { shop: shop.folder }, settings });
  const [add, forget] = [vi.spyOn(SearchScheduler.prototype, 'add'), vi.spyOn(SearchScheduler.prototype, 'forget')];
  for (const commit of commits) expect((await find(started, `number rev:${commit}`)).fileCount).toBe(1);
  expect(add.mock.calls.length - forget.mock.calls.length).toBeLessThanOrEqual(10);
});
