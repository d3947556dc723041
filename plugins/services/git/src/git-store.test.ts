import { appendFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { readPatches } from '@sextant/contracts';
import type { StoredRepository } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it, vi } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();

/** The lines of the hunks of a commit. */
async function linesOf(repository: StoredRepository | undefined, commit: string, isBackground = false) {
  const lines: string[] = [];
  const pieces = repository?.patches({ commits: [commit] }, { wants: 'hunks', isBackground, signal });
  if (pieces) await readPatches(pieces, { line: (line) => lines.push(line.toString()) });
  return lines;
}

it('lists every repository, whoever may read it, with the branches to index', async () => {
  using folder = temporaryFolder();
  new RepositoryBuilder({ folder: join(folder.path, 'b') }).commit();
  new RepositoryBuilder({ folder: join(folder.path, 'a') }).commit();
  const repositories = [{ path: 'b', access: { users: ['nobody'] }, branches: ['release/*'] }, { path: 'a' }];
  await using git = await startGit(folder.path, { repositories });
  expect((await git.store.list()).map(({ name, branches }) => [name, branches])).toEqual([
    ['a', []],
    ['b', ['release/*']],
  ]);
  expect(await git.store.find('c')).toBeUndefined();
});

it('runs commands with input, in a queue of their own', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  const commit = builder.commit({ files: { a: 'text\n' } });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], indexCommandsAtOnce: 1 });
  const r = await git.store.find('r');
  const all = await Promise.all([1, 2, 3].map(() => linesOf(r, commit)));
  expect(all).toEqual(Array.from({ length: 3 }, () => ['+text']));
});

it('leaves a mailmap alone that git would need long for', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  const lines = (count: number): string => 'Ada L <ada@new> <ada@example.com>\n'.repeat(count);
  const commit = builder.commit({ files: { '.mailmap': lines(2) } });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const r = await git.store.find('r');
  const names = async (): Promise<unknown[]> => {
    const seen: unknown[] = [...((await r?.mailmap([{ name: 'Ada', email: 'ada@example.com' }], { signal })) ?? [])];
    const pieces = r?.patches({ commits: [commit] }, { wants: 'commits', signal });
    if (pieces) await readPatches(pieces, { commit: ({ mapped }) => seen.push(mapped.name) });
    return seen;
  };
  expect(await names()).toEqual([expect.anything(), 'Ada L']);
  builder.commit({ files: { '.mailmap': lines(10_000) } });
  expect(await names()).toEqual(['Ada']);
});

it('knows HEAD and revisions, and nothing in an empty repository', async () => {
  using folder = temporaryFolder();
  const commit = new RepositoryBuilder({ folder: join(folder.path, 'r') }).commit();
  const empty = new RepositoryBuilder({ folder: join(folder.path, 'empty') });
  await using git = await startGit(folder.path, { repositories: [{ path: '.' }] });
  expect(await (await git.store.find('r'))?.head(signal)).toBe(commit);
  expect(await (await git.store.find('r'))?.resolve(commit.slice(0, 9), signal)).toBe(commit);
  expect(await (await git.store.find(basename(empty.folder)))?.head(signal)).toBeUndefined();
  await expect((await git.store.find('r'))?.resolve('none', signal)).rejects.toMatchObject({ code: 'not_found' });
});

it('knows HEAD of a loose branch, a packed one, one that moved since, one of another name, and detached', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  const one = builder.commit();
  const two = builder.commit();
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const head = async () => (await git.store.find('r'))?.head(signal);
  const after = (...args: string[]) => {
    builder.git(...args);
    return head();
  };
  expect(await head()).toBe(two);
  expect(await after('pack-refs', '--all')).toBe(two);
  expect(await after('update-ref', 'refs/heads/main', one)).toBe(one);
  expect(await after('pack-refs', '--all')).toBe(one);
  builder.git('branch', 'grün', two);
  builder.git('pack-refs', '--all');
  expect(await after('symbolic-ref', 'HEAD', 'refs/heads/grün')).toBe(two);
  expect(await after('symbolic-ref', 'refs/heads/other', 'refs/heads/main')).toBe(two);
  expect(await after('symbolic-ref', 'HEAD', 'refs/heads/other')).toBe(one);
  expect(await after('update-ref', '--no-deref', 'HEAD', two)).toBe(two);
});

it('lists the commits of all refs, whatever they are called, as they are now', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const one = builder.commit({ files: { a: 'one\n' } });
  const two = builder.commit({ branch: 'topic/two', parents: [one] });
  builder.tag({ name: 'v1', commit: one, message: 'first' });
  builder.tag({ name: 'v2', commit: 'v1', message: 'a tag of a tag' });
  builder.git('update-ref', 'refs/pull/7/head', two);
  builder.tag({ name: 'no-commit', commit: `${one}^{tree}` });
  const odd = Buffer.from(`# pack-refs with: peeled fully-peeled sorted \n${two} refs/heads/gr\xf6n\n`, 'latin1');
  appendFileSync(join(builder.folder, 'packed-refs'), odd);
  await using git = await startGit(folder.path, { repositories: [{ name: 'r', path: 'r' }] });
  const refs = async (): Promise<string[]> =>
    (await (await git.store.find('r'))?.refs(signal))?.map(
      ({ name, commit }) => `${name} ${commit === one ? 'one' : 'two'}`,
    ) ?? [];
  const others = ['refs/heads/topic/two two', 'refs/pull/7/head two', 'refs/tags/v1 one', 'refs/tags/v2 one'];
  expect(await refs()).toEqual(['refs/heads/gr\ufffdn two', 'refs/heads/main one', ...others]);
  for (let i = 0; i < 3; i += 1) {
    builder.git('update-ref', `refs/notes/${i}`, one);
    builder.git('update-ref', 'refs/heads/main', i % 2 === 0 ? two : one);
    expect(await refs()).toContain(`refs/notes/${i} one`);
    expect(await refs()).toContain(`refs/heads/main ${i % 2 === 0 ? 'two' : 'one'}`);
  }
});

it('remembers the refs while none changes', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  builder.commit();
  await using git = await startGit(folder.path, { repositories: [{ name: 'r', path: 'r' }] });
  const refs = async () => (await git.store.find('r'))?.refs(signal);
  const first = await refs();
  await expect.poll(async () => (await refs()) === (await refs())).toBe(true);
  expect(await refs()).toEqual(first);
});

it('tells of refs that moved, and of nothing once nobody listens', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  builder.commit();
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], watchSeconds: 0.1 });
  const heard = vi.fn<(name: string) => void>();
  const stop = git.store.onChange(heard);
  builder.commit();
  await expect.poll(() => heard.mock.calls).toContainEqual(['r']);
  stop();
  heard.mockClear();
  builder.commit();
  await setTimeout(300);
  expect(heard).not.toHaveBeenCalled();
});

it.each([
  ['a branch in a new folder', ['branch', 'topic/one']],
  ['a branch that is gone', ['branch', '-D', 'other']],
  ['refs that were packed', ['pack-refs', '--all']],
])('tells of %s, however long nothing moved', async (_what, args) => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  builder.commit();
  builder.git('branch', 'other');
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], watchSeconds: 0.1 });
  const heard = vi.fn<(name: string) => void>();
  git.store.onChange(heard);
  // Longer than what was written is too new to be told from what is written now.
  await setTimeout(1500);
  heard.mockClear();
  builder.git(...args);
  await expect.poll(() => heard.mock.calls).toContainEqual(['r']);
});

it('what nobody waits for does not take the place of what somebody waits for', async () => {
  using folder = temporaryFolder();
  const commit = new RepositoryBuilder({ folder: join(folder.path, 'r') }).commit({ files: { a: 'text\n' } });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], indexCommandsAtOnce: 1 });
  const r = await git.store.find('r');
  const background = r?.patches({ commits: [commit] }, { wants: 'hunks', isBackground: true, signal });
  const pieces = background?.[Symbol.asyncIterator]();
  // It has begun, and goes on when the next piece is asked for.
  expect((await pieces?.next())?.done).toBe(false);
  expect(await linesOf(r, commit)).toEqual(['+text']);
  expect((await pieces?.next())?.done).toBe(true);
  expect(await linesOf(r, commit, true)).toEqual(['+text']);
});

it('gives an object by its full hash, its content where that is not too large', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  const commit = builder.commit({ files: { a: 'text\n' } });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const r = await git.store.find('r');
  const id = builder.git('rev-parse', `${commit}:a`);
  const found = async (name: string, maxBytes: number): Promise<unknown> => {
    const object = await r?.object(name, { maxBytes, signal });
    return object && [object.size, object.content && Buffer.from(object.content).toString()];
  };
  expect(await found(id, 5)).toEqual([5, 'text\n']);
  expect(await found(id, 4)).toEqual([5, undefined]);
  for (const none of ['0'.repeat(40), 'HEAD', `${id}\n`]) expect(await found(none, 5)).toBeUndefined();
});
