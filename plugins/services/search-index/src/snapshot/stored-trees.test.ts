import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { sizesOf } from './partial-tree.ts';
import { StoredTrees } from './stored-trees.ts';
import { readTree } from './tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'sextant-trees-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
const treeArguments = (commit: string): string[] => ['ls-tree', '-r', '-z', '-l', '--full-tree', commit];
const git = (args: readonly string[], input?: Uint8Array): Buffer =>
  execFileSync('git', ['-C', folder, ...author, ...args], { stdio: 'pipe', ...(input && { input }) });

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

function trees(): { trees: StoredTrees; asked: string[] } {
  const asked: string[] = [];
  const run = async function* (args: readonly string[], input: Iterable<Uint8Array> = []): AsyncGenerator<Buffer> {
    asked.push(args[0] ?? '');
    yield git(args, Buffer.concat([...input]));
  };
  const list = (of: string): AsyncIterable<Buffer> => run(treeArguments(of));
  const onFailure = (error: unknown): void => expect(error).toBeUndefined();
  const objects = {
    sizes: (ids: readonly string[]) => sizesOf(run, ids),
    content: async (id: string) => git(['cat-file', git(['cat-file', '-t', id]).toString().trim(), id]),
  };
  const kept = mkdtempSync(join(folder, '.git', 'kept-'));
  return { trees: new StoredTrees({ folder: kept, git: run, list, objects, onFailure }), asked };
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
  for (const each of all)
    expect(await stored.read(each, { isKept: false })).toEqual(await readTree([git(treeArguments(each))]));
  expect(asked.filter((command) => command === 'ls-tree')).toHaveLength(1);
});

test('where the commit before is gone all files are listed', async () => {
  const { trees: stored, asked } = trees();
  const gone = commit();
  await stored.read(gone, { isKept: false });
  git(['reset', '-q', '--hard', 'HEAD~1']);
  git(['reflog', 'expire', '--expire=now', '--all']);
  git(['gc', '-q', '--prune=now']);
  const head = git(['rev-parse', 'HEAD']).toString().trim();
  expect(await stored.read(head, { isKept: true })).toEqual(await readTree([git(treeArguments(head))]));
  expect(asked).toEqual(['ls-tree', 'ls-tree']);
});
