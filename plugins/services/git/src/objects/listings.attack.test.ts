import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { StoredRepository } from '@sextant/contracts';
import {
  commitDeepTree,
  commitTreeBomb,
  executable,
  RepositoryBuilder,
  submodule,
  symlink,
  temporaryFolder,
} from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { startGit } from '../testing/start-git.ts';

const { signal } = new AbortController();

async function pathsOf(repository: StoredRepository | undefined, commit: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const entries of repository?.tree(commit, { signal }) ?? [])
    for (const { path } of entries) paths.push(path);
  return paths;
}

it('lists every file of a commit in whole records, with sizes where they are wanted, and what another changes', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  const many = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`many/${i}`, 'same\n']));
  const before = builder.commit({ files: { a: 'text\n', 'b\tc\nd': 'odd\n', ...many } });
  const after = builder.commit({
    files: { a: 'changed\n', run: executable('x'), link: symlink('a'), module: submodule(before), 'many/7': null },
  });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const r = await git.store.find('r');
  expect(await pathsOf(r, before)).toEqual(['a', 'b\tc\nd', ...Object.keys(many).sort()]);
  const sizes: unknown[] = [];
  for await (const entries of r?.tree(after, { wantsSizes: true, signal }) ?? [])
    for (const { mode, type, size, path } of entries)
      if (!path.startsWith('many/')) sizes.push([mode, type, size, path]);
  expect(sizes).toEqual([
    ['100644', 'blob', 8, 'a'],
    ['100644', 'blob', 4, 'b\tc\nd'],
    ['120000', 'blob', 1, 'link'],
    ['160000', 'commit', Number.NaN, 'module'],
    ['100755', 'blob', 1, 'run'],
  ]);
  const changes: unknown[] = [];
  for await (const entries of r?.changes(before, after, { signal }) ?? [])
    for (const { mode, path } of entries) changes.push([mode, path]);
  expect(changes).toEqual([
    ['100644', 'a'],
    ['120000', 'link'],
    ['000000', 'many/7'],
    ['160000', 'module'],
    ['100755', 'run'],
  ]);
});

it.each([
  ['10^10 files in 13 objects', { levels: 10, width: 10 }, 'more than 5000 files'],
  ['one file more than may be', { levels: 1, width: 5001 }, 'more than 5000 files'],
])('refuses %s, and says which setting that is', async (_what, bomb, why) => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const commit = commitTreeBomb(builder, bomb);
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], treeEntries: 5000 });
  const r = await git.store.find('r');
  for (const _ of ['listed', 'remembered'])
    await expect(pathsOf(r, commit)).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringMatching(new RegExp(`the repository has ${why}.*treeEntries`)),
    });
});

it('refuses what differs between two commits where that is too much, and where git cannot hold it', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const one = builder.commit({ files: { a: 'text\n' } });
  const many = commitTreeBomb(builder, { levels: 2, width: 80 });
  const bomb = commitTreeBomb(builder, { levels: 10, width: 10 });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], treeEntries: 5000 });
  const changes = async (to: string): Promise<void> => {
    for await (const _ of (await git.store.find('r'))?.changes(one, to, { signal }) ?? []);
  };
  await expect(changes(many)).rejects.toMatchObject({ message: expect.stringContaining('treeEntries') });
  await expect(changes(bomb)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('memory'),
  });
});

it('lists as many files as may be', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const commit = commitTreeBomb(builder, { levels: 1, width: 5000 });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], treeEntries: 5000 });
  expect(await pathsOf(await git.store.find('r'), commit)).toHaveLength(5000);
});

it('refuses a path of ten thousand folders, and a list that is too long', async () => {
  using folder = temporaryFolder();
  const deep = new RepositoryBuilder({ folder: join(folder.path, 'deep'), isBare: true });
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const commits = [commitDeepTree(deep, 10_000), commitTreeBomb(builder, { levels: 2, width: 150 })];
  const repositories = [{ path: 'deep' }, { path: 'r' }];
  await using git = await startGit(folder.path, { repositories, outputBytes: 1 << 20 });
  await expect(pathsOf(await git.store.find('deep'), commits[0] ?? '')).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('treePathBytes'),
  });
  await expect(pathsOf(await git.store.find('r'), commits[1] ?? '')).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('outputBytes'),
  });
});

it('bounds what a command prints that is held as a whole', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const commits = Array.from({ length: 14_000 }, () => 'commit refs/heads/main\ncommitter a <a> 1 +0000\ndata 1\nm\n');
  execFileSync('git', ['-C', builder.folder, 'fast-import', '--quiet'], { input: commits.join('') });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], outputBytes: 1 << 20 });
  const graph = (await git.store.find('r'))?.graph({ include: [builder.git('rev-parse', 'main')] }, { signal });
  await expect(graph).rejects.toMatchObject({ code: 'too_large' });
});
