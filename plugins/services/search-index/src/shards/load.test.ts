import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Arena, Matches, ResidentContent, search, Shard, Workspace } from '@sextant/library-block-index';
import { afterAll, expect, test } from 'vitest';
import { loadPaths } from './load.ts';

const folder = mkdtempSync(join(tmpdir(), 'sextant-paths-'));
afterAll(() => rmSync(folder, { recursive: true }));

const workspace = new Workspace(Arena.create(16 << 20));
const paths = (...names: string[]): Buffer => Buffer.from(names.map((name) => `${name}\n`).join(''));

/** Lines of the paths that have a word. */
function linesWith(text: Uint8Array, word: string, file?: string): number[] {
  const { handle, address } = loadPaths(workspace, { text, ...(file !== undefined && { file }) });
  const place = {
    shard: Shard.attach(workspace, handle),
    content: new ResidentContent(workspace, address),
    workspace,
  };
  const found = Matches.concat([...search(place, { literal: word })]);
  workspace.arena.release(handle.address);
  workspace.arena.release(address);
  return [...found].map(({ line }) => line);
}

test('the index of paths is kept, and read again', () => {
  const file = join(folder, 'kept.paths');
  const text = paths('src/one.ts', 'src/two.ts', 'docs/one.md');
  expect(linesWith(text, 'one', file)).toEqual([0, 2]);
  const { ino } = statSync(file);
  expect(linesWith(text, 'one', file)).toEqual([0, 2]);
  expect(statSync(file).ino).toBe(ino);
});

test.each([
  ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 100)],
  ['changed', (bytes: Buffer) => bytes.fill(7, 200, 201)],
  ['empty', () => Buffer.alloc(0)],
])('one that is %s is built anew', (name, spoil) => {
  const file = join(folder, `${name}.paths`);
  const text = paths('a/b', 'b/c');
  linesWith(text, 'b', file);
  const sound = readFileSync(file);
  writeFileSync(file, spoil(Buffer.from(sound)));
  expect(linesWith(text, 'b', file)).toEqual([0, 1]);
  expect(readFileSync(file)).toEqual(sound);
});

test.each([paths('a/c', 'x/b'), paths('a/b', 'b/c', 'b/d')])('one of other paths is not taken for theirs', (text) => {
  const file = join(folder, 'other.paths');
  linesWith(paths('a/b', 'b/c'), 'b', file);
  expect(linesWith(text, 'b', file)).toEqual(linesWith(text, 'b'));
});

test('where none can be kept they are searched all the same', () => {
  expect(linesWith(paths('a', 'b'), 'b', join(folder, 'nowhere', 'x.paths'))).toEqual([1]);
});
