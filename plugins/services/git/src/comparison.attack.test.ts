import { join } from 'node:path';
import { commitDeepTree, RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, it } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();

/** Lines of one letter, of which git finds no small difference: it takes time as the square of their number. */
function hardLines(seed: number): Buffer {
  const lines = Buffer.alloc(6_000_000, '\n');
  for (let at = 0, state = seed; at < lines.length; at += 2) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    lines[at] = 97 + (state >>> 29);
  }
  return lines;
}

/** The limits of time are real: on a busy machine the other files may meet them, too. */
const limits = { timeout: 60_000, retry: 2 };

it('shows the other files of a page beside one that git cannot compare', limits, async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const base = builder.commit({ files: { a: '1\n', hard: hardLines(1), z: '1\n' } });
  const head = builder.commit({ files: { a: '2\n', hard: hardLines(2), z: '2\n' } });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], commandSeconds: 3 });
  const r = await git.open('r');
  const { files, atLeast, notes } = await r.compare({ base, head, offset: 0, limit: 50 }, signal);
  expect(files.map(({ path, isTruncated, hunks }) => [path, isTruncated, hunks[0]?.lines])).toEqual([
    ['a', false, ['-1', '+2']],
    ['hard', true, undefined],
    ['z', false, ['-1', '+2']],
  ]);
  expect(atLeast).toEqual(['lines']);
  expect(notes).toEqual([
    expect.stringContaining('all take git too long'),
    'Left out, because git could not compare it in time: hard.',
  ]);
});

it('finds renames beside a file that git cannot compare, and names it on every call', limits, async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const text = (end: string): string => Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join('') + end;
  const base = builder.commit({ files: { hard: hardLines(1), old: text('1\n'), 'z\ny': '1\n' } });
  const head = builder.commit({ files: { hard: hardLines(2), old: null, new: text('2\n'), 'z\ny': '2\n' } });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const r = await git.open('r');
  const first = await r.compare({ base, head, offset: 0, limit: 50 }, signal);
  expect(first.files.map(({ path, previousPath, isTruncated }) => [path, previousPath, isTruncated])).toEqual([
    ['hard', undefined, true],
    ['new', 'old', false],
    ['z\ny', undefined, false],
  ]);
  expect(await r.compare({ base, head, offset: 0, limit: 50 }, signal)).toEqual(first);
});

it('takes what is over 16 MiB for binary, and counts all hunks of which it shows a few', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const hunks = (sign: string): string =>
    Array.from({ length: 400_000 }, (_, line) => (line % 8 ? '' : sign)).join('\n');
  const long = (end: string): Buffer => Buffer.concat([Buffer.alloc(17_000_000, 'a'), Buffer.from(end)]);
  const base = builder.commit({ files: { hunks: hunks('a'), long: long('a'), z: '1\n' } });
  const head = builder.commit({ files: { hunks: hunks('b'), long: long('b'), z: '2\n' } });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const r = await git.open('r');
  const { files, totalAdded } = await r.compare({ base, head, offset: 0, limit: 50 }, signal);
  expect(files.map(({ path, isBinary, isTruncated }) => [path, isBinary, isTruncated])).toEqual([
    ['hunks', false, true],
    ['long', true, false],
    ['z', false, false],
  ]);
  expect([files[0]?.added, totalAdded]).toEqual([50_000, 50_001]);
});

it('cuts a path of ten thousand folders, below which it looks no deeper', limits, async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const base = builder.commit({ files: { z: '1\n' } });
  const head = commitDeepTree(builder, 10_050);
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const { files, notes } = await (await git.open('r')).compare({ base, head, offset: 0, limit: 50 }, signal);
  expect(files.map(({ path, status }) => [path.length, status])).toEqual([
    [4097, 'added'],
    [1, 'deleted'],
  ]);
  expect(notes).toEqual([expect.stringContaining('folders lie too deep'), expect.stringContaining('10000 folders')]);
});
