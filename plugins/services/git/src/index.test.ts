import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();

it('serves a repository from configuration to content', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop') });
  const commit = builder.commit({ files: { 'src/a.ts': 'one\ntwo\n', 'z.md': '# z' } });
  builder.tag({ name: 'v1', message: 'one' });
  await using git = await startGit(folder.path, { repositories: [{ path: 'shop' }] });
  const shop = await git.open('shop');
  expect(shop.info.defaultBranch).toBe('main');
  expect(await shop.resolve(undefined, signal)).toBe(commit);
  expect(await shop.resolve('v1', signal)).toBe(commit);
  expect(await shop.resolve(commit.slice(0, 7), signal)).toBe(commit);
  expect(await shop.readText(commit, 'src/a.ts', signal)).toMatchObject({ text: 'one\ntwo\n', lineStarts: [0, 4] });
  expect(await shop.listTree({ commit, path: '', limit: 10 }, signal)).toEqual({
    entries: [
      { path: 'src', kind: 'directory' },
      { path: 'z.md', kind: 'file' },
    ],
    isTruncated: false,
  });
  const { refs } = await shop.listRefs({ types: ['branch', 'tag'], limit: 10 }, signal);
  expect(refs.map(({ name, type, isDefault }) => ({ name, type, isDefault }))).toEqual([
    { name: 'main', type: 'branch', isDefault: true },
    { name: 'v1', type: 'tag', isDefault: false },
  ]);
});
