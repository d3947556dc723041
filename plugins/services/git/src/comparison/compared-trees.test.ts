import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import {
  commitTreeBomb,
  executable,
  RepositoryBuilder,
  submodule,
  symlink,
  temporaryFolder,
} from '@sextant/contracts/testing';
import { describe, expect, it } from 'vitest';
import { parseChangedFiles } from './changed-files.ts';
import { TreeComparer } from './compared-trees.ts';
import type { ComparedTrees } from './compared-trees.ts';
import { GitFolder } from '../storage/git-folder.ts';
import { ObjectReader } from '../objects/object-reader.ts';
import { startGit } from '../testing/start-git.ts';
import { TreeReader } from '../objects/tree-reader.ts';

const { signal } = new AbortController();

describe('the files that differ between two trees', () => {
  it.each(['sha1', 'sha256'] as const)(
    'are those of git in its order, whichever page is asked for (%s)',
    async (objectFormat) => {
      using folder = temporaryFolder();
      const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true, objectFormat });
      const same = Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`many/${index % 7}/${index}`, `${index}\n`]),
      );
      const hash = '1'.repeat(objectFormat === 'sha1' ? 40 : 64);
      const before = builder.commit({
        files: {
          ...same,
          a: 'x',
          'a.b': 'x',
          'a-b': 'x',
          'b/c': 'x',
          'b.d': 'x',
          type: 'x',
          mode: 'x',
          gone: 'x',
          same: 'x',
          'deep/er/x': '1',
        },
      });
      const odd = new Map<string | Uint8Array, string>([[Buffer.from([0x66, 0xff, 0xfe]), 'latin']]);
      builder.commit({ files: odd });
      const after = builder.commit({
        files: {
          ...Object.fromEntries(Object.keys(same).map((path) => [path, 'new'])),
          a: null,
          'a/b': 'y',
          'a.b': 'y',
          'b/c': null,
          b: 'y',
          type: symlink('a.b'),
          mode: executable('x'),
          gone: null,
          sub: submodule(hash),
          'deep/er/x': '2',
        },
      });
      const objects = new ObjectReader({ processes: 1, idleSeconds: 9 });
      const trees = new TreeReader(objects, 1 << 20);
      const comparer = new TreeComparer(trees, { entries: 1000, pathBytes: 4096, seconds: 60 });
      const place = { folder: new GitFolder(builder.folder), key: 'k', signal };
      const rootOf = (commit: string): string => builder.git('rev-parse', `${commit}^{tree}`);
      for (const [from, to] of [
        [before, after],
        [after, before],
        [undefined, after],
      ] as const) {
        const compared: ComparedTrees = { place, before: from && rootOf(from), after: rootOf(to) };
        const empty = builder.git('hash-object', '-t', 'tree', '/dev/null');
        const args = [
          '-C',
          builder.folder,
          'diff-tree',
          '-r',
          '-z',
          '--raw',
          '--no-renames',
          '--no-abbrev',
          from ?? empty,
          to,
        ];
        const expected = await parseChangedFiles(execFileSync('git', args), 4096);
        const before = await comparer.page(compared, { offset: 7, limit: 5 });
        expect(await comparer.count(compared)).toEqual({ files: expected.length, end: 'whole', isTooDeep: false });
        expect(before).toEqual(expected.slice(7, 12));
        const pages = await Promise.all(expected.map((_, offset) => comparer.page(compared, { offset, limit: 3 })));
        expect(pages).toEqual(expected.map((_, offset) => expected.slice(offset, offset + 3)));
      }
      objects.close();
    },
  );
});

describe('a comparison of more files than git holds', () => {
  it('shows any page with its diffs: 10^10 files in 13 objects', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const base = builder.commit({ files: { 'old.txt': 'boom\n' } });
    const head = commitTreeBomb(builder, { levels: 10, width: 10 });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], treeEntries: 1000 });
    const r = await git.open('r');
    const page = await r.compare({ base, head, offset: 0, limit: 50 }, signal);
    expect(page).toMatchObject({
      totalFiles: 1e10 + 1,
      totalModified: 1e10 + 1,
      totalAdded: 50,
      totalDeleted: 0,
      atLeast: ['lines'],
    });
    expect(page.notes).toEqual([expect.stringContaining('Renames were not looked for')]);
    expect(page.files.map(({ added, hunks }) => `${added} ${hunks[0]?.lines}`)).toEqual(Array(50).fill('1 +boom'));
    const last = await r.compare({ base, head, offset: 1e10 - 1, limit: 50 }, signal);
    expect(last.files.map(({ path, status }) => [path, status])).toEqual([
      [Array(10).fill('000009').join('/'), 'added'],
      ['old.txt', 'deleted'],
    ]);
  });

  it('says how many are left out over the limit, and why', async () => {
    using folder = temporaryFolder();
    const builder = new RepositoryBuilder({ folder: join(folder.path, 'r'), isBare: true });
    const head = commitTreeBomb(builder, { levels: 1, width: 3000 });
    await using git = await startGit(folder.path, { repositories: [{ path: 'r' }], treeEntries: 1000 });
    const r = await git.open('r');
    const page = await r.compare({ base: '', head, offset: 990, limit: 50 }, signal);
    expect(page).toMatchObject({ totalFiles: 1000, atLeast: ['files', 'lines'] });
    expect(page.files.map(({ path }) => path)).toEqual(
      Array.from({ length: 10 }, (_, index) => `${990 + index}`.padStart(6, '0')),
    );
    expect(page.notes[1]).toMatch(
      /^Files behind the first 1000 are left out: more than 1000 entries .* treeEntries of service-git\.$/,
    );
  });
});
