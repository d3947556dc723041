import { expect, test } from 'vitest';
import { changesBetween } from './tree-changes.ts';

const [one, other] = ['1'.repeat(40), '2'.repeat(40)];
const readOf =
  (trees: Record<string, Buffer>) =>
  async (id: string): Promise<Buffer> =>
    trees[id] ?? Buffer.from(`tree ${id.startsWith('a') ? one : other}\nauthor\n`);
const entry = (mode: string, name: string, id: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);

test('what differs between two trees is told by path', async () => {
  const read = readOf({
    [one]: Buffer.concat([entry('100644', 'a', one), entry('100644', 'b', one)]),
    [other]: Buffer.concat([entry('100644', 'a', other), entry('100755', 'c', one)]),
  });
  expect(await changesBetween(read, { before: 'a', after: 'b', mostFolders: 1 })).toEqual([
    { path: 'a', mode: '100644', id: other, before: { mode: '100644', id: one } },
    { path: 'b', mode: '000000', id: '', before: { mode: '100644', id: one } },
    { path: 'c', mode: '100755', id: one },
  ]);
});

test.each([
  ['no space', Buffer.alloc(60, 'x')],
  ['no end of a name', Buffer.from('100644 name without an end')],
  ['a rest', Buffer.concat([entry('100644', 'a', other), Buffer.from('1006')])],
])('a tree that is none is refused: %s', async (_, tree) => {
  const read = readOf({ [one]: entry('100644', 'a', one), [other]: tree });
  const commits = { before: 'a', after: 'b', mostFolders: 1 };
  await expect(changesBetween(read, commits)).rejects.toThrow('no list of files');
});

test('more folders than are wanted are not read', async () => {
  const read = readOf({ [one]: entry('40000', 'a', one), [other]: entry('40000', 'b', other) });
  await expect(changesBetween(read, { before: 'a', after: 'b', mostFolders: 2 })).rejects.toThrow('too many folders');
});
