import { readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GitStore } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { silentLogger } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChangeIndex } from './change-index.ts';

let folder: TemporaryFolder;
let builder: RepositoryBuilder;
let plugins: StartedPlugins;
let store: GitStore;
beforeEach(async () => {
  folder = temporaryFolder();
  builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  plugins = await startPlugins(folder.path, [
    [git, { repositories: [{ name: 'shop', path: builder.folder }], watchSeconds: 0.1 }],
  ]);
  ({ store } = plugins.services.resolve({ store: GitStore }));
});
afterEach(async () => {
  await plugins[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const open = (from: GitStore = store): ChangeIndex =>
  new ChangeIndex({ store: from, folder: join(folder.path, 'index'), log: silentLogger });

/** An index that has read everything. */
async function indexed(from?: GitStore): Promise<ChangeIndex> {
  const index = open(from);
  index.start();
  await index.settled();
  return index;
}

async function left(index: ChangeIndex, regex: string): Promise<string[]> {
  const mayHave = await index.mayHave('shop', regex);
  return builder.git('rev-list', 'main').split('\n').filter(mayHave);
}

const files = (): string[] => readdirSync(join(folder.path, 'index'), { recursive: true }).map(String);

describe('the index rules out commits whose changed lines do not match', () => {
  test('and keeps those whose added or removed lines do, in any case', async () => {
    const one = builder.commit({ files: { a: 'Alpha\nbeta\n' } });
    const two = builder.commit({ files: { a: 'beta\n', b: Buffer.from('gr\xf6\xdfe\n', 'latin1') } });
    builder.commit({ files: { c: 'gamma\n', d: Buffer.from('\0alpha') } });
    const index = await indexed();
    expect(await left(index, 'alpha')).toEqual([two, one]);
    expect(await left(index, '^alp?ha$|nothing')).toEqual([two, one]);
    expect(await left(index, 'größe')).toEqual([two]);
    expect(await left(index, 'absent')).toEqual([]);
    expect(index.status().detail).toEqual({ indexedCommits: 3, waitingRepositories: 0 });
    await index.close();
  });

  test('but never one that it has not read, nor any before it has read', async () => {
    builder.commit({ files: { a: 'alpha\n' } });
    const before = open();
    expect(await left(before, 'absent')).toHaveLength(1);
    expect(before.status().isReady).toBe(false);
    await before.close();
    const index = await indexed();
    const late = builder.commit({ files: { a: 'beta\n' } });
    expect(await left(index, 'absent')).toEqual([late]);
    expect(index.status().isReady).toBe(true);
    await index.close();
  });

  test('also after a restart, without reading again', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    builder.commit({ files: { b: 'beta\n' } });
    await (await indexed()).close();
    const before = files();
    const index = await indexed();
    expect(await left(index, 'alpha')).toEqual([one]);
    expect(files()).toEqual(before);
    await index.close();
  });
});

describe('what is damaged is read from git, and indexed again after the next start', () => {
  const damages: Readonly<Record<string, (path: string) => void>> = {
    shard: (path) => truncateSync(path, 100),
    text: (path) => truncateSync(path, 0),
    json: (path) => writeFileSync(path, '{'),
  };

  test.each(Object.entries(damages))('%s', async (ending, damage) => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    const two = builder.commit({ files: { b: 'beta\n' } });
    await (await indexed()).close();
    damage(join(folder.path, 'index', files().find((file) => file.endsWith(ending)) ?? ''));
    const index = await indexed();
    expect(await left(index, 'alpha')).toContain(one);
    await index.close();
    const again = await indexed();
    expect(await left(again, 'alpha')).toEqual([one]);
    expect(await left(again, 'beta')).toEqual([two]);
    await again.close();
  });

  test('files that vanish under it', async () => {
    const one = builder.commit({ files: { a: 'alpha\n' } });
    const index = await indexed();
    rmSync(join(folder.path, 'index'), { recursive: true });
    expect(await left(index, 'alpha')).toEqual([one]);
    await index.close();
  });
});

test('a repository that is served no more leaves nothing behind', async () => {
  builder.commit({ files: { a: 'alpha\n' } });
  const gone: GitStore = { list: () => store.list(), find: () => undefined, onChange: () => () => undefined };
  await (await indexed()).close();
  expect(files().length).toBeGreaterThan(1);
  await (await indexed(gone)).close();
  expect(files()).toEqual([]);
});
