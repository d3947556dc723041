import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { config } from '../config.ts';
import { startGit } from '../testing/start-git.ts';
import type { StartedGit } from '../testing/start-git.ts';

const { signal } = new AbortController();
const root = callerOf('root', { isSiteAdmin: true });

/** Nine commits of main, a branch and a tag near the first, and a branch that has just left main. */
function upstreamIn(folder: TemporaryFolder): { upstream: RepositoryBuilder; commits: readonly string[] } {
  const upstream = new RepositoryBuilder({ folder: join(folder.path, 'upstream'), isBare: true });
  const commits = Array.from({ length: 9 }, (_, at) =>
    upstream.commit({ files: { a: Array.from({ length: at + 1 }, (__, line) => `line ${line}\n`).join('') } }),
  );
  upstream.commit({ branch: 'old', parents: [commits[1] ?? ''], files: { old: 'x\n' } });
  upstream.commit({ branch: 'new', parents: [commits[7] ?? ''], files: { new: 'x\n' } });
  upstream.tag({ name: 'v1', commit: commits[2] ?? '' });
  return { upstream, commits };
}

async function serve(folder: TemporaryFolder, upstream: RepositoryBuilder, depth?: number): Promise<StartedGit> {
  const depths = depth === undefined ? {} : { depth };
  const repositories = [{ url: `file://${upstream.folder}`, name: 'r', ...depths }];
  const git = await startGit(folder.path, { repositories }, silentLogger);
  await git.ready();
  await expect.poll(async () => (await git.repositories.list(root))[0]?.clone?.fetched).toBeDefined();
  return git;
}

const historyOf = async (git: StartedGit, revision: string): Promise<number> => {
  const stored = await git.store.find('r');
  if (!stored) throw new Error('it is not served');
  return (await stored.graph({ include: [await stored.resolve(revision, signal)] }, { signal })).times.length;
};

it('clones so many commits of each branch and tag, and the files of all', async () => {
  using folder = temporaryFolder();
  const { upstream, commits } = upstreamIn(folder);
  await using git = await serve(folder, upstream, 3);
  const lengths = await Promise.all(['main', 'old', 'new', 'v1'].map((name) => historyOf(git, name)));
  expect(lengths).toEqual([3, 3, 3, 3]);
  expect(await git.repositories.list(root)).toMatchObject([{ clone: { depth: 3 } }]);
  const r = await git.open('r');
  const { refs } = await r.listRefs({ types: ['branch', 'tag'], limit: 9 }, signal);
  expect(refs.map(({ name }) => name).toSorted()).toEqual(['main', 'new', 'old', 'v1']);
  expect((await r.readText(commits[2] ?? '', 'a', signal)).lineStarts).toHaveLength(3);
  await expect(r.resolve('main~3', signal)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('only the later part of the history'),
  });
});

it('begins where it began after a push, and elsewhere once another depth is wanted', async () => {
  using folder = temporaryFolder();
  const { upstream } = upstreamIn(folder);
  const starts: string[] = [];
  {
    await using git = await serve(folder, upstream, 2);
    const stored = await git.store.find('r');
    starts.push((await stored?.shallow(signal)) ?? '');
    const pushed = upstream.commit({ files: { b: 'x\n' } });
    await git.fetch('{"repository":"r"}', root);
    await expect.poll(async () => (await git.open('r')).resolve(undefined, signal)).toBe(pushed);
    expect(await historyOf(git, 'main')).toBe(3);
    const [, clone] = execFileSync('find', [join(folder.path, 'data', 'clones'), '-name', 'shallow', '-printf', '\n%h'])
      .toString()
      .split('\n');
    // Git writes the same list again.
    execFileSync('git', ['-C', clone ?? '', 'gc', '--quiet']);
    starts.push((await stored?.shallow(signal)) ?? '');
  }
  expect(starts[0]).toMatch(/./);
  expect(starts[1]).toBe(starts[0]);
  // The branch that has just left main takes one commit more of main with it.
  for (const [depth, length] of [
    [5, 6],
    [undefined, 10],
    [4, 5],
  ] as const) {
    await using git = await serve(folder, upstream, depth);
    await expect.poll(() => historyOf(git, 'main')).toBe(length);
    const stored = await git.store.find('r');
    expect((await stored?.shallow(signal)) === '').toBe(depth === undefined);
    await expect.poll(() => historyOf(git, 'v1')).toBe(Math.min(3, length));
  }
});

it('answers from the history that is there once it was deepened', async () => {
  using folder = temporaryFolder();
  const { upstream, commits } = upstreamIn(folder);
  const lines = { commit: commits[8] ?? '', path: 'a' };
  const asked = { ...lines, startLine: 1, endLine: 9, limit: 20 };
  const answers = async (git: StartedGit): Promise<unknown[]> => {
    const r = await git.open('r');
    const [first] = await r.blame({ ...lines, startLine: 1, endLine: 1 }, signal);
    return [
      first?.isCut === true,
      (await r.trace(asked, signal)).changes.length,
      await r.mergeBase('old', 'new', signal),
    ];
  };
  {
    await using git = await serve(folder, upstream, 3);
    const note = expect.stringContaining('no common ancestor');
    expect(await answers(git)).toEqual([true, 2, expect.objectContaining({ note })]);
  }
  await using git = await serve(folder, upstream);
  await expect.poll(() => historyOf(git, 'main')).toBe(9);
  const [old, recent] = ['old', 'new'].map((name) => upstream.git('rev-parse', name));
  expect(await answers(git)).toEqual([false, 9, { base: commits[1], head: recent }]);
  expect(old).not.toBe(recent);
});

it('does not take a cut history for a whole one while too many files are open', async () => {
  using folder = temporaryFolder();
  const { upstream } = upstreamIn(folder);
  const cut = join(folder.path, 'cut.git');
  execFileSync('git', ['clone', '--quiet', '--bare', '--depth=1', `file://${upstream.folder}`, cut]);
  const module = new URL('../storage/git-folder.ts', import.meta.url).href;
  const script = `const { closeSync, openSync } = await import('node:fs');
    const { GitFolder } = await import(${JSON.stringify(module)});
    const folder = new GitFolder(${JSON.stringify(cut)});
    const open = [];
    try {
      for (;;) open.push(openSync('/dev/null', 'r'));
    } catch {}
    try {
      console.log(folder.historyStart.commits.size);
    } catch (error) {
      console.log(error.code);
    }
    for (const file of open) closeSync(file);
    console.log(folder.historyStart.commits.size);`;
  const limited = ['-c', 'ulimit -n 100; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)('/bin/sh', limited, { cwd: import.meta.dirname });
  expect(stdout).toBe('unavailable\n1\n');
});

it('is for a repository with a URL', () => {
  const mistakes = config.safeParse({ repositories: [{ path: 'r', depth: 3 }] }).error?.issues;
  expect(mistakes).toMatchObject([{ path: ['repositories', 0, 'depth'] }]);
});
