import { join } from 'node:path';
import { RepositoryBuilder, executable, submodule, symlink, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { parseChangedFiles } from './comparison/changed-files.ts';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();
const lines = (count: number, change = (line: number) => `line ${line}`): string =>
  Array.from({ length: count }, (_, line) => `${change(line)}\n`).join('');

describe('compare', () => {
  it('compares from the merge base, with renames, modes, types, binaries, submodules and odd names', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const shared = { mode: '#!/bin/sh\n', type: 'text\n', binary: Buffer.from([0, 1]), sub: submodule('1'.repeat(40)) };
    const fork = builder.commit({
      files: {
        ...shared,
        'old.ts': lines(20),
        'same.ts': lines(30),
        'gone.txt': 'x\n',
        'a"\nb.txt': '1\n',
        'a/b': 'deep\n',
      },
    });
    builder.commit({ files: { 'only-main.txt': 'x\n' } });
    const changes = {
      'old.ts': null,
      'new.ts': lines(20, (line) => (line === 9 ? 'changed' : `line ${line}`)),
      'same.ts': null,
      'moved.ts': lines(30),
      'gone.txt': null,
      'a"\nb.txt': '2',
      mode: executable('#!/bin/sh\n'),
      type: symlink('mode'),
      binary: Buffer.from([0, 2]),
      sub: submodule('2'.repeat(40)),
      'a/b': null,
      a: 'file now\n',
    };
    const head = builder.commit({ branch: 'topic', parents: [fork], files: changes });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const repository = await git.open('r');
    const commits = await repository.mergeBase('main', 'topic', signal);
    expect(commits).toEqual({ base: fork, head });
    const comparison = await repository.compare({ ...commits, offset: 0, limit: 100 }, signal);
    const shown = comparison.files.map(({ path, status, previousPath, added, deleted, isBinary }) => [
      path,
      status,
      previousPath,
      added,
      deleted,
      isBinary,
    ]);
    expect(shown).toEqual([
      ['a', 'added', undefined, 1, 0, false],
      ['a"\nb.txt', 'modified', undefined, 1, 1, false],
      ['a/b', 'deleted', undefined, 0, 1, false],
      ['binary', 'modified', undefined, 0, 0, true],
      ['gone.txt', 'deleted', undefined, 0, 1, false],
      ['mode', 'modified', undefined, 0, 0, false],
      ['moved.ts', 'renamed', 'same.ts', 0, 0, false],
      ['new.ts', 'renamed', 'old.ts', 1, 1, false],
      ['sub', 'modified', undefined, 1, 1, false],
      ['type', 'type-changed', undefined, 1, 1, false],
    ]);
    expect(comparison).toMatchObject({ totalAdded: 5, totalDeleted: 6, totalModified: 10, totalFiles: 10 });
    expect(comparison.files.every(({ isTruncated }) => !isTruncated)).toBe(true);
    const linesOf = (path: string): readonly string[] =>
      comparison.files.find((file) => file.path === path)?.hunks.flatMap((hunk) => hunk.lines) ?? [];
    expect(linesOf('a"\nb.txt')).toEqual(['-1', '+2', '\\ No newline at end of file']);
    expect(linesOf('sub')).toEqual([`-Subproject commit ${'1'.repeat(40)}`, `+Subproject commit ${'2'.repeat(40)}`]);
    expect(linesOf('type')).toEqual(['-text', '+mode', '\\ No newline at end of file']);
    expect(linesOf('a')).toEqual(['+file now']);
    expect(linesOf('new.ts')).toEqual([
      ' line 6',
      ' line 7',
      ' line 8',
      '-line 9',
      '+changed',
      ' line 10',
      ' line 11',
      ' line 12',
    ]);
    expect(comparison.files.find(({ path }) => path === 'mode')).toMatchObject({
      oldMode: '100644',
      newMode: '100755',
      hunks: [],
    });
  });
});

it('names what a copy is of, also of a binary file, and a rename that changes the mode', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
  const picture = Buffer.from([0, ...Array.from({ length: 500 }, (_, index) => index % 251)]);
  const base = builder.commit({ files: { 'source.ts': lines(30), 'logo.png': picture, 'run.sh': lines(25) } });
  const more = (line: number): string => (line === 3 ? 'more' : `line ${line}`);
  const head = builder.commit({
    files: {
      // Copies are looked for among the files that changed.
      'source.ts': lines(30, more),
      'copy.ts': lines(30),
      'logo.png': null,
      'img/logo.png': picture,
      'run.sh': null,
      'bin/run': executable(lines(25)),
    },
  });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const repository = await git.open('r');
  const { files } = await repository.compare({ base, head, offset: 0, limit: 100 }, signal);
  expect(files.map(({ path, status, previousPath, isBinary }) => [path, status, previousPath, isBinary])).toEqual([
    ['bin/run', 'renamed', 'run.sh', false],
    ['copy.ts', 'copied', 'source.ts', false],
    ['img/logo.png', 'renamed', 'logo.png', true],
    ['source.ts', 'modified', undefined, false],
  ]);
  expect(files[0]).toMatchObject({ oldMode: '100644', newMode: '100755', added: 0, deleted: 0, hunks: [] });
});

describe('a large comparison', () => {
  it('comes in pages that fit together, with totals of all files', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const paths = Array.from({ length: 230 }, (_, index) => `f${String(index).padStart(3, '0')}`);
    const base = builder.commit({ files: Object.fromEntries(paths.map((path) => [path, '1\n'])) });
    const head = builder.commit({ files: Object.fromEntries(paths.map((path, index) => [path, `1\n${index}\n`])) });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const pages = await Promise.all(
      [0, 100, 200, 300].map((offset) => r.compare({ base, head, offset, limit: 100 }, signal)),
    );
    expect(pages.map(({ files }) => files.length)).toEqual([100, 100, 30, 0]);
    const files = pages.flatMap((page) => page.files);
    expect(files.map(({ path }) => path)).toEqual(paths);
    expect(files.map(({ hunks }) => hunks[0]?.lines.at(-1))).toEqual(paths.map((_, index) => `+${index}`));
    for (const page of pages)
      expect(page).toMatchObject({ totalAdded: 230, totalDeleted: 0, totalModified: 230, totalFiles: 230 });
  });

  it('says when there are too many files to find renames among', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const all = Array.from({ length: 2001 }, (_, index) => index);
    const before = { ...Object.fromEntries(all.map((index) => [`old/${index}`, `a ${index}\n`])), moved: lines(9) };
    const base = builder.commit({ files: before });
    const gone = Object.fromEntries(Object.keys(before).map((path) => [path, null]));
    const come = Object.fromEntries(all.map((index) => [`new/${index}`, `b ${index}\n`]));
    const head = builder.commit({ files: { ...gone, ...come, 'was-moved': lines(9) } });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const page = await (await git.open('r')).compare({ base, head, offset: 4002, limit: 9 }, signal);
    expect(page.files).toMatchObject([{ path: 'was-moved', status: 'renamed', previousPath: 'moved' }]);
    expect(page.notes).toEqual([
      expect.stringMatching(/same content were found: 2001 files were deleted and 2001 added/),
    ]);
  });

  it('is cut by lines, files and pages, and says where', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const wide = 'w'.repeat(900);
    const fat = Object.fromEntries(
      Array.from({ length: 5 }, (_, index) => [`fat${index}`, lines(80, (line) => `${index} ${line} ${wide}`)]),
    );
    const base = builder.commit({ files: { 'a-long': lines(5000), 'a-wide': 'x\n', 'z-last': '1\n' } });
    const head = builder.commit({
      files: {
        'a-long': lines(5000, (line) => `changed ${line}`),
        'a-wide': `${'é'.repeat(5000)}\n`,
        ...fat,
        'z-last': '2\n',
      },
    });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const { files } = await r.compare({ base, head, offset: 0, limit: 100 }, signal);
    const shape = files.map(({ path, isTruncated, hunks }) => [
      path,
      isTruncated,
      hunks.flatMap((hunk) => hunk.lines).length > 0,
    ]);
    expect(shape.slice(0, 3)).toEqual([
      ['a-long', true, true],
      ['a-wide', true, true],
      ['fat0', true, true],
    ]);
    expect(shape.at(-1)).toEqual(['z-last', true, false]);
    expect(files[0]?.hunks.flatMap((hunk) => hunk.lines)).toHaveLength(1500);
    expect(files[1]?.hunks[0]?.lines[1]).toBe(`+${'é'.repeat(998)}…`);
    const characters = files.flatMap(({ hunks }) => hunks.flatMap((hunk) => hunk.lines)).join('').length;
    expect(characters).toBeLessThan(242_000);
    const alone = await r.compare({ base, head, offset: files.length - 1, limit: 1 }, signal);
    expect(alone.files[0]).toMatchObject({ path: 'z-last', isTruncated: false, hunks: [{ lines: ['-1', '+2'] }] });
  });

  it('is not misled by files that look like patches', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const patch = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n';
    const base = builder.commit({ files: { a: '-- old\n', b: '1\n', ':c': '1\n' } });
    const head = builder.commit({ files: { a: patch, b: '2\n', ':c': '2\n', 'diff --git a': 'x' } });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    const { files } = await r.compare({ base, head, offset: 0, limit: 9 }, signal);
    expect(files.map(({ path, hunks }) => [path, hunks.flatMap((hunk) => hunk.lines)])).toEqual([
      [':c', ['-1', '+2']],
      [
        'a',
        [
          '--- old',
          ...patch
            .trimEnd()
            .split('\n')
            .map((line) => `+${line}`),
        ],
      ],
      ['b', ['-1', '+2']],
      ['diff --git a', ['+x', '\\ No newline at end of file']],
    ]);
  });

  it('of unrelated histories is against the base itself; of what is no commit, an error', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const main = builder.commit({ files: { a: '1\n' } });
    const other = builder.commit({ branch: 'other', parents: [], files: { a: '2\n' } });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const r = await git.open('r');
    expect(await r.mergeBase('main', 'other', signal)).toEqual({ base: main, head: other });
    const page = { base: main, head: other, offset: 0, limit: 9 };
    expect((await r.compare(page, signal)).files).toMatchObject([{ path: 'a', hunks: [{ lines: ['-1', '+2'] }] }]);
    await expect(r.compare({ ...page, base: 'main' }, signal)).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(r.compare({ ...page, base: '--output=/x' }, signal)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(r.compare({ ...page, head: '0'.repeat(40) }, signal)).rejects.toMatchObject({ code: 'not_found' });
    await expect(r.compare({ ...page, head: builder.git('rev-parse', 'main^{tree}') }, signal)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });
});

it('leaves the event loop to others while many changed files are parsed', async () => {
  const count = 200_000;
  const id = 'a'.repeat(40);
  const raw = Array.from({ length: count }, (_, at) => `:100644 100644 ${id} ${id} M\0src/${at}.ts\0`);
  const counts = Array.from({ length: count }, (_, at) => `1\t2\tsrc/${at}.ts\0`);
  const order: string[] = [];
  const parsed = parseChangedFiles(Buffer.from([...raw, ...counts].join('')), 4096).then((files) => {
    order.push('parsed');
    return files;
  });
  await new Promise((resolve) => setImmediate(resolve));
  order.push('another');
  expect(await parsed).toHaveLength(count);
  expect(order).toEqual(['another', 'parsed']);
});
