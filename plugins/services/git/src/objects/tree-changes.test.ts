import { join } from 'node:path';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { GitFolder } from '../storage/git-folder.ts';
import { startGit } from '../testing/start-git.ts';
import { fewChanges } from './tree-changes.ts';
import { Tree } from './tree.ts';

const [one, other] = ['1'.repeat(40), '2'.repeat(40)];
const { signal } = new AbortController();
const place = { folder: new GitFolder('/nowhere'), key: '', signal };
const entry = (mode: string, name: string, id: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
/** The roots of the commits `a` and `b` are the trees `one` and `other`. */
const treesOf = (trees: Record<string, Buffer>) => ({
  rootOf: async ({ commit }: { commit: string }) => (commit === 'a' ? one : other),
  tree: async (_: unknown, id: string) => new Tree(trees[id] ?? Buffer.alloc(0), 20),
});
const commits = { from: 'a', to: 'b', pathBytes: 100 };

test('what differs between two trees is told by path', async () => {
  const trees = treesOf({
    [one]: Buffer.concat([entry('100644', 'a', one), entry('100644', 'b', one)]),
    [other]: Buffer.concat([entry('100644', 'a', other), entry('100755', 'c', one)]),
  });
  expect(await fewChanges(trees, place, commits)).toEqual([
    { path: 'a', mode: '100644', id: other, before: { mode: '100644', id: one } },
    { path: 'b', mode: '000000', id: '0'.repeat(40), before: { mode: '100644', id: one } },
    { path: 'c', mode: '100755', id: one, before: undefined },
  ]);
});

test.each([
  ['no space', Buffer.alloc(60, 'x')],
  ['no end of a name', Buffer.from('100644 name without an end')],
  ['a rest', Buffer.concat([entry('100644', 'a', other), Buffer.from('1006')])],
])('a tree that is none is left to git: %s', async (_, tree) => {
  const trees = treesOf({ [one]: entry('100644', 'a', one), [other]: tree });
  expect(await fewChanges(trees, place, commits)).toBeUndefined();
});

test('many folders, and paths that are too long, are left to git', async () => {
  const folders = (id: string): Buffer =>
    Buffer.concat(Array.from({ length: 250 }, (_, n) => entry('40000', `${1000 + n}`, id)));
  expect(
    await fewChanges(treesOf({ [one]: folders('3'.repeat(40)), [other]: folders('4'.repeat(40)) }), place, commits),
  ).toBeUndefined();
  const long = treesOf({ [one]: Buffer.alloc(0), [other]: entry('100644', 'x'.repeat(101), one) });
  expect(await fewChanges(long, place, commits)).toBeUndefined();
});

test('few and many differences are told alike, in the order of git', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'r') });
  const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`many/${n}/file`, `${n}\n`]));
  const files = { 'a-b': '1', 'a.b': '2', 'a/b': '3', a0: '4', 'ü/x': '5', '\u{1f600}': '6', '\uffee': '7' };
  const before = builder.commit({ files });
  const after = builder.commit({
    files: { 'a/b': null, a: 'file', a0: null, 'a0/x': 'folder', 'ü/x': 'y', '\uffee': 'z', '\u{1f600}': 'z' },
  });
  const all = builder.commit({ files: many });
  await using git = await startGit(folder.path, { repositories: [{ path: 'r' }] });
  const told = async (from: string, to: string): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const entries of (await git.store.find('r'))?.changes(from, to, { signal }) ?? [])
      found.push(...entries);
    return found;
  };
  const few = await told(before, after);
  const notMany = (entries: unknown[]): unknown[] => entries.filter((each) => !JSON.stringify(each).includes('many/'));
  expect(few).toHaveLength(7);
  expect(notMany(await told(before, all))).toEqual(few);
  expect(await told(after, all)).toHaveLength(300);
});
