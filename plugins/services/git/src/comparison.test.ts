import { join } from 'node:path';
import { RepositoryBuilder, executable, submodule, symlink, temporaryFolder } from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { startGit } from './testing/start-git.ts';

const { signal } = new AbortController();
const lines = (count: number, change = (line: number) => `line ${line}`): string => Array.from({ length: count }, (_, line) => `${change(line)}\n`).join('');

describe('compare', () => {
  it('compares from the merge base, with renames, modes, types, binaries, submodules and odd names', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const shared = { mode: '#!/bin/sh\n', type: 'text\n', binary: Buffer.from([0, 1]), sub: submodule('1'.repeat(40)) };
    const fork = builder.commit({ files: { ...shared, 'old.ts': lines(20), 'same.ts': lines(30), 'gone.txt': 'x\n', 'a"\nb.txt': '1\n', 'a/b': 'deep\n' } });
    builder.commit({ files: { 'only-main.txt': 'x\n' } });
    const changes = {
      'old.ts': null, 'new.ts': lines(20, (line) => (line === 9 ? 'changed' : `line ${line}`)), 'same.ts': null, 'moved.ts': lines(30),
      'gone.txt': null, 'a"\nb.txt': '2', mode: executable('#!/bin/sh\n'), type: symlink('mode'), binary: Buffer.from([0, 2]), sub: submodule('2'.repeat(40)), 'a/b': null, a: 'file now\n',
    };
    const head = builder.commit({ branch: 'topic', parents: [fork], files: changes });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
    const repository = await git.open('r');
    const commits = await repository.mergeBase('main', 'topic', signal);
    expect(commits).toEqual({ base: fork, head });
    const comparison = await repository.compare({ ...commits, offset: 0, limit: 100 }, signal);
    const shown = comparison.files.map(({ path, status, previousPath, added, deleted, isBinary }) => [path, status, previousPath, added, deleted, isBinary]);
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
    const linesOf = (path: string): readonly string[] => comparison.files.find((file) => file.path === path)?.hunks.flatMap((hunk) => hunk.lines) ?? [];
    expect(linesOf('a"\nb.txt')).toEqual(['-1', '+2', '\\ No newline at end of file']);
    expect(linesOf('sub')).toEqual([`-Subproject commit ${'1'.repeat(40)}`, `+Subproject commit ${'2'.repeat(40)}`]);
    expect(linesOf('type')).toEqual(['-text', '+mode', '\\ No newline at end of file']);
    expect(linesOf('a')).toEqual(['+file now']);
    expect(linesOf('new.ts')).toEqual([' line 6', ' line 7', ' line 8', '-line 9', '+changed', ' line 10', ' line 11', ' line 12']);
    expect(comparison.files.find(({ path }) => path === 'mode')).toMatchObject({ oldMode: '100644', newMode: '100755', hunks: [] });
  });
});
