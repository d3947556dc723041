import { chownSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callerOf } from '@sextant/core/testing';
import { RepositoryBuilder, submodule, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { startGit } from '../testing/start-git.ts';

const { signal } = new AbortController();

describe('every kind of repository can be read', () => {
  it('SHA-256', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), objectFormat: 'sha256' });
    const first = builder.commit({ files: { 'd/a': '1\n', b: '1\n' } });
    const second = builder.commit({ files: { 'd/a': '2\n', s: submodule('2'.repeat(64)) } });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    expect(first).toHaveLength(64);
    for (const revision of [first, first.slice(0, 40), 'main~1']) expect(await r.resolve(revision, signal)).toBe(first);
    expect((await r.readText(second, 'd/a', signal)).text).toBe('2\n');
    expect((await r.listTree({ commit: second, path: '', limit: 9 }, signal)).entries.map(({ path }) => path)).toEqual([
      'd',
      'b',
      's',
    ]);
    const comparison = await r.compare({ base: first, head: second, offset: 0, limit: 9 }, signal);
    expect(comparison.files.map(({ path, hunks }) => [path, hunks.length])).toEqual([
      ['d/a', 1],
      ['s', 1],
    ]);
  });

  it('not one with a missing commit or a damaged HEAD, and it is not taken for an empty one', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const commit = builder.commit();
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    rmSync(join(builder.folder, 'objects', commit.slice(0, 2), commit.slice(2)));
    await expect(r.resolve(undefined, signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining(`lacks the commit ${commit}`),
    });
    writeFileSync(join(builder.folder, 'HEAD'), '');
    await expect(r.resolve(undefined, signal)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('"HEAD" is damaged') },
    });
  });

  it('an empty one: it has no commits yet', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true, branch: 'trunk' });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    expect(r.info.defaultBranch).toBe('trunk');
    await expect(r.resolve(undefined, signal)).rejects.toMatchObject({
      code: 'not_found',
      message: 'r: the repository has no commits yet',
    });
    expect(await r.listRefs({ types: ['branch', 'tag'], limit: 9 }, signal)).toEqual({ refs: [], hasMore: false });
    builder.commit({ branch: 'other' });
    await expect(r.resolve(undefined, signal)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('default branch "trunk" has no commits yet'),
    });
    const commit = builder.commit();
    expect(await r.resolve(undefined, signal)).toBe(commit);
  });

  it('a detached HEAD, a linked work tree with a HEAD of its own, alternates', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'main') });
    const first = builder.commit({ files: { a: '1\n' } });
    const second = builder.commit({ files: { a: '2\n' } });
    builder.git('worktree', 'add', '--quiet', '-b', 'side', join(folder.path, 'linked'), first);
    builder.git('clone', '--quiet', '--shared', '--bare', builder.folder, join(folder.path, 'borrower'));
    builder.git('checkout', '--quiet', '--force', '--detach', first);
    await using git = await startGit(folder.path, {
      repositories: ['main', 'linked', 'borrower'].map((path) => ({ path })),
      sharedObjectStores: ['main'],
    });
    const [main, linked, borrower] = await Promise.all(['main', 'linked', 'borrower'].map((name) => git.open(name)));
    expect([main?.info.defaultBranch, await main?.resolve(undefined, signal)]).toEqual(['', first]);
    expect([linked?.info.defaultBranch, await linked?.resolve(undefined, signal)]).toEqual(['side', first]);
    expect(await linked?.resolve('main', signal)).toBe(second);
    expect((await borrower?.readText(second, 'a', signal))?.text).toBe('2\n');
  });

  it('a shallow clone, as far as it goes', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'deep') });
    builder.commit();
    const commit = builder.commit();
    builder.git('clone', '--quiet', '--bare', '--depth=1', `file://${builder.folder}`, join(folder.path, 'shallow'));
    await using git = await startGit(folder.path, { repositories: [{ path: 'shallow' }] });
    const shallow = await git.open('shallow');
    expect(await shallow.resolve(undefined, signal)).toBe(commit);
    await expect(shallow.resolve('main~1', signal)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('further than the history'),
    });
  });

  it.skipIf(process.getuid?.() !== 0)('one that belongs to another user', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const commit = builder.commit({ files: { a: '1\n' } });
    for (const path of ['r', 'r/.git']) chownSync(join(folder.path, path), 65_534, 65_534);
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    expect((await r.readText(await r.resolve('main', signal), 'a', signal)).text).toBe('1\n');
    expect((await r.listRefs({ types: ['branch'], limit: 9 }, signal)).refs[0]?.commit).toBe(commit);
  });
});

describe('a repository that changes while it is served', () => {
  it('shows a push at once, also one that packs, moves or removes refs', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    builder.commit();
    await settled();
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    for (let round = 0; round < 2; round += 1) {
      await r.resolve(undefined, signal);
      await r.listRefs({ types: ['branch'], limit: 9 }, signal);
      const commit = builder.commit();
      if (round % 2 === 0) builder.git('pack-refs', '--all');
      expect(await r.resolve(undefined, signal)).toBe(commit);
      expect(await r.resolve('main', signal)).toBe(commit);
      expect((await r.listRefs({ types: ['branch'], limit: 9 }, signal)).refs[0]?.commit).toBe(commit);
      await settled();
    }
    builder.git('tag', 'name', 'main~2');
    expect(await r.resolve('name', signal)).toBe(builder.git('rev-parse', 'main~2'));
    builder.git('branch', 'name', 'main~1');
    expect(await r.resolve('name', signal)).toBe(builder.git('rev-parse', 'main~1'));
    builder.git('branch', '-D', 'name');
    expect(await r.resolve('name', signal)).toBe(builder.git('rev-parse', 'main~2'));
    builder.git('symbolic-ref', 'HEAD', 'refs/heads/none');
    await expect(r.resolve(undefined, signal)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('goes on through a repack', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
    const commits = Array.from({ length: 5 }, (_, index) => builder.commit({ files: { a: `${index}\n` } }));
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    for (const [index, commit] of commits.entries()) {
      expect((await r.readText(commit, 'a', signal)).text).toBe(`${index}\n`);
      builder.git('repack', '-adfq');
      builder.git('prune-packed', '-q');
    }
  });

  it('says that it has gone, and serves what takes its place', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'r');
    const commit = new RepositoryBuilder({ folder: path, isBare: true }).commit({ files: { a: 'old\n' } });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    await r.readText(commit, 'a', signal);
    rmSync(path, { recursive: true });
    const gone = { code: 'unavailable', message: expect.stringContaining('no longer where it was') };
    for (const call of [
      r.resolve(undefined, signal),
      r.resolve(commit, signal),
      r.readText(commit, 'a', signal),
      r.listTree({ commit, path: '', limit: 9 }, signal),
    ])
      await expect(call).rejects.toMatchObject(gone);
    await expect(r.listRefs({ types: ['branch'], limit: 9 }, signal)).rejects.toMatchObject(gone);
    await expect(r.mergeBase('main', 'main', signal)).rejects.toMatchObject(gone);
    expect((await git.repositories.list(callerOf('bob'))).map(({ name }) => name)).toEqual(['r']);
    const other = new RepositoryBuilder({ folder: path, isBare: true }).commit({
      message: 'other',
      files: { a: 'new\n' },
    });
    expect((await r.readText(await r.resolve(undefined, signal), 'a', signal)).text).toBe('new\n');
    expect(other).not.toBe(commit);
    await expect(r.readText(commit, 'a', signal)).rejects.toMatchObject({ code: 'not_found' });
  });
});

it('never writes into a repository that it serves', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  const first = builder.commit({ files: { a: '1\n', b: '1\n' } });
  builder.commit({ files: { a: '2\n' } });
  builder.git('reset', '--hard', '--quiet');
  // A stat that the index does not know: whoever may write would refresh it.
  utimesSync(join(builder.folder, 'a'), 1, 1);
  const before = snapshot(builder.folder);
  {
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const commits = await r.mergeBase('main~1', 'main', signal);
    await r.compare({ ...commits, offset: 0, limit: 9 }, signal);
    await r.listRefs({ types: ['branch', 'tag'], containsCommit: first, limit: 9 }, signal);
    await r.readText(commits.head, 'a', signal);
    await r.listTree({ commit: commits.head, path: '', limit: 9 }, signal);
  }
  expect(snapshot(builder.folder)).toEqual(before);
});

/** Longer than a file must be left alone before what it says is remembered. */
const settled = (): Promise<void> => sleep(1200);

function snapshot(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => `${file} ${statSync(file, { bigint: true }).mtimeNs} ${statSync(file).size}`)
    .sort();
}
