import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RepositoryBuilder } from './repository-builder.ts';
import { executable, submodule, symlink } from './fast-import.ts';
import { temporaryFolder } from './temporary-folder.ts';

describe('RepositoryBuilder', () => {
  it('commits files of every kind and answers the hash', () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'kinds') });
    const files = {
      'a b.txt': 'text\n',
      run: executable('#!/bin/sh\n'),
      link: symlink('a b.txt'),
      sub: submodule('1'.repeat(40)),
    };
    const commit = builder.commit({ files });
    expect(builder.git('rev-parse', 'HEAD')).toBe(commit);
    const tree = builder.git('ls-tree', '--format=%(objectmode) %(path)', commit);
    expect(tree.split('\n')).toEqual(['100644 a b.txt', '120000 link', '100755 run', '160000 sub']);
    expect(builder.git('show', 'HEAD:a b.txt')).toBe('text');
  });

  it('makes merges, roots and removals', () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'history'), isBare: true });
    const base = builder.commit({ files: { a: '1\n', b: '1\n' } });
    const side = builder.commit({ branch: 'side', parents: [base], files: { b: null } });
    const main = builder.commit({ files: { a: '2\n' } });
    const merge = builder.commit({ parents: [main, side], files: { b: null } });
    expect(builder.git('rev-list', '--parents', '-1', merge)).toBe(`${merge} ${main} ${side}`);
    expect(builder.git('ls-tree', '--name-only', merge)).toBe('a');
    const root = builder.commit({ branch: 'other', parents: [] });
    expect(builder.git('rev-list', '--parents', '-1', root)).toBe(root);
  });

  it('names files in bytes, and hashes with SHA-256', () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'bytes'), objectFormat: 'sha256' });
    const commit = builder.commit({ files: new Map([[Buffer.from('caf\xe9\n"', 'latin1'), 'x']]) });
    expect(commit).toMatch(/^[0-9a-f]{64}$/);
    expect(builder.git('ls-tree', '--name-only', commit)).toBe('"caf\\351\\n\\""');
  });
});
