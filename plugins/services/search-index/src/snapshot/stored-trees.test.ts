import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ChangedEntry, ListedEntry } from '@sextant/contracts';
import { afterAll, expect, test } from 'vitest';
import { StoredTrees } from './stored-trees.ts';
import { readTree } from './tree.ts';
import type { Tree } from './tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'sextant-trees-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
const git = (args: readonly string[]): Buffer =>
  execFileSync('git', ['-C', folder, ...author, ...args], { stdio: 'pipe' });

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

function commit(): string {
  git(['add', '-A']);
  git(['commit', '-qm', 'change', '--allow-empty']);
  return git(['rev-parse', 'HEAD']).toString().trim();
}

const recordsOf = (...args: readonly string[]): string[] => git(args).toString().split('\0').slice(0, -1);

function entriesOf(commit: string): ListedEntry[] {
  return recordsOf('ls-tree', '-r', '-z', '-l', '--full-tree', commit).map((record) => {
    const [, mode = '', type, id = '', size, path = ''] = /^(\d+) (\w+) (\w+) +(\S+)\t([^]*)$/.exec(record) ?? [];
    return { mode, type: type === 'blob' ? 'blob' : 'commit', id, size: Number(size), path };
  });
}

function changesOf(from: string, to: string): ChangedEntry[] {
  const fields = recordsOf('diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', from, to);
  return fields.flatMap((field, at) => {
    const [, mode = '', , id = '', status] = field.split(' ');
    const before = status === 'A' ? undefined : { mode: field.slice(1, 7), id: field.split(' ')[2] ?? '' };
    return at % 2 === 0 ? [{ mode, id, path: fields[at + 1] ?? '', before }] : [];
  });
}

const treeOf = (commit: string): Promise<Tree> =>
  readTree(
    (async function* () {
      yield entriesOf(commit);
    })(),
  );

/** `asked`: the commits of which all files were listed. */
function trees(): { trees: StoredTrees; asked: string[] } {
  const asked: string[] = [];
  const reader = {
    async *tree(commit: string) {
      asked.push(commit);
      yield entriesOf(commit);
    },
    async *changes(from: string, to: string) {
      yield changesOf(from, to);
    },
    sizes: async (ids: readonly string[]) => new Map(ids.map((id) => [id, git(['cat-file', 'blob', id]).length])),
  };
  const onFailure = (error: unknown): void => expect(error).toBeUndefined();
  const kept = mkdtempSync(join(folder, '.git', 'kept-'));
  return { trees: new StoredTrees({ folder: kept, reader, onFailure }), asked };
}

function commits(): string[] {
  git(['init', '-q', '.']);
  write({ 'a-b': '1', 'a/b': '22', 'a.b': '333', 'a/c/d': '4444', ü: '5', 'z z': '' });
  const found = [commit(), commit()];
  write({ 'a/b': 'changed', a0: 'new', 'a/c.d': 'new', 'zz/last': 'new', '!first': 'new', 'ü\n': 'odd' });
  found.push(commit());
  rmSync(join(folder, 'a'), { recursive: true });
  rmSync(join(folder, 'a0'));
  write({ a: 'was a folder', 'a0/x': 'was a file' });
  symlinkSync('a', join(folder, 'link'));
  chmodSync(join(folder, 'a.b'), 0o755);
  found.push(commit());
  git(['update-index', '--add', '--cacheinfo', `160000,${found[0]},module`]);
  git(['commit', '-qm', 'a submodule']);
  return [...found, git(['rev-parse', 'HEAD']).toString().trim(), found[0] ?? ''];
}

test('the tree of a commit is made of that of another one, and the same as git tells', async () => {
  const all = commits();
  const { trees: stored, asked } = trees();
  for (const each of all) expect(await stored.read(each, { isKept: false })).toEqual(await treeOf(each));
  expect(asked).toHaveLength(1);
});

test('where the commit before is gone all files are listed', async () => {
  const { trees: stored, asked } = trees();
  const gone = commit();
  await stored.read(gone, { isKept: false });
  git(['reset', '-q', '--hard', 'HEAD~1']);
  git(['reflog', 'expire', '--expire=now', '--all']);
  git(['gc', '-q', '--prune=now']);
  const head = git(['rev-parse', 'HEAD']).toString().trim();
  expect(await stored.read(head, { isKept: true })).toEqual(await treeOf(head));
  expect(asked).toEqual([gone, head]);
});
