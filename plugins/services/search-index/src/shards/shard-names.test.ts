import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from '@sextant/contracts/testing';
import { Arena, Shard, ShardBuilder, Workspace } from '@sextant/library-block-index';
import { afterAll, expect, test } from 'vitest';
import { AttachedSlice } from '../snapshot/attached-snapshot.ts';
import { DamagedIndexError } from './loaded-shard.ts';
import type { LoadedShard } from './loaded-shard.ts';
import { nameRules } from './name-rules.ts';
import { ShardFiles } from './shard-files.ts';
import { ShardNames } from './shard-names.ts';

const workspace = new Workspace(Arena.create(32 << 20));
const texts = ['def open(path):\n', '  open(path)\n', 'x = 1\n'.repeat(300_000), 'def close():\n'];

function shardIn(folder: string, name: string): { files: ShardFiles; shard: Shard } {
  const builder = new ShardBuilder();
  for (const text of texts) builder.add(Buffer.from(text));
  const files = new ShardFiles(folder, name);
  writeFileSync(files.partialText, texts.join(''));
  files.commit(builder.finish(), { documents: texts.map((_, i) => `0${i}`), skipped: {} });
  return { files, shard: Shard.load(workspace, readFileSync(files.shard)) };
}

const opened: number[] = [];
afterAll(() => opened.forEach((descriptor) => closeSync(descriptor)));

/** As a start has it: its text is on disk. */
function load({ files, shard }: ReturnType<typeof shardIn>): LoadedShard {
  const descriptor = openSync(files.text, 'r');
  opened.push(descriptor);
  const content = { descriptor, address: new Uint32Array(1) };
  const trigrams = Uint32Array.of(shard.handle.address, shard.handle.bytes);
  return { handle: shard.handle, trigrams, content, definitions: new Uint32Array(1), documents: texts.length };
}

/** The documents that may define a text. */
function defining(loaded: LoadedShard, text: string): number[] {
  const part = new AttachedSlice(workspace, { ...loaded, name: '', base: 0 });
  const [name] = nameRules.namesOf(text, { foldCase: true }) ?? [];
  return [...texts.keys()].filter((document) => name && part.mayDefine(document, name));
}

function tellAll(names: ShardNames, { handle }: LoadedShard): void {
  for (let isTold = false; !isTold; ) isTold = names.tell(handle.address);
}

test('names are told in steps, kept, and read by the next start', () => {
  using folder = temporaryFolder();
  const [stored, names] = [shardIn(folder.path, '1-1-a'), new ShardNames(workspace)];
  const loaded = load(stored);
  names.open(loaded, stored.files);
  expect(names.tell(loaded.handle.address)).toBe(false);
  expect(defining(loaded, 'open')).toEqual([0, 1, 2, 3]);
  tellAll(names, loaded);
  expect(defining(loaded, 'open')).toEqual([0]);
  names.close(loaded.handle.address);
  const [again, after] = [load(stored), new ShardNames(workspace)];
  const { ino } = statSync(stored.files.names);
  after.open(again, stored.files);
  expect(defining(again, 'close')).toEqual([3]);
  tellAll(after, again);
  expect(statSync(stored.files.names).ino).toBe(ino);
});

test.each([
  ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
  ['changed', (bytes: Buffer) => bytes.fill(7, 30, 31)],
  ['of another shard', (bytes: Buffer) => bytes.fill(7, 12, 13)],
  ['empty', () => Buffer.alloc(0)],
])('where their file is %s they are told anew', (_, spoil) => {
  using folder = temporaryFolder();
  const [stored, names] = [shardIn(folder.path, '1-1-a'), new ShardNames(workspace)];
  const first = load(stored);
  names.open(first, stored.files);
  tellAll(names, first);
  const sound = readFileSync(stored.files.names);
  names.close(first.handle.address);
  writeFileSync(stored.files.names, spoil(Buffer.from(sound)));
  const loaded = load(stored);
  names.open(loaded, stored.files);
  expect(defining(loaded, 'open')).toEqual([0, 1, 2, 3]);
  tellAll(names, loaded);
  expect(defining(loaded, 'open')).toEqual([0]);
  expect(readFileSync(stored.files.names)).toEqual(sound);
});

test('where they cannot be kept they are known all the same, and it is said once', () => {
  using folder = temporaryFolder();
  const names = new ShardNames(workspace);
  const all = ['1-1-a', '2-1-b'].map((name) => shardIn(folder.path, name));
  const loaded = all.map((each) => {
    const shard = load(each);
    names.open(shard, each.files);
    return shard;
  });
  rmSync(folder.path, { recursive: true });
  const told = loaded.map((each) => {
    try {
      tellAll(names, each);
    } catch (error) {
      return error;
    }
    return 'told';
  });
  expect(told).toEqual([expect.objectContaining({ code: 'ENOENT' }), 'told']);
  for (const each of loaded) expect(defining(each, 'open')).toEqual([0]);
});

test('of a text that is not what was indexed none are told', () => {
  using folder = temporaryFolder();
  const [stored, names] = [shardIn(folder.path, '1-1-a'), new ShardNames(workspace)];
  const loaded = load(stored);
  names.open(loaded, stored.files);
  writeFileSync(stored.files.text, texts.join('').replace('close', 'erase'));
  expect(() => tellAll(names, loaded)).toThrow(DamagedIndexError);
  expect(existsSync(stored.files.names)).toBe(false);
  expect(defining(loaded, 'open')).toEqual([0, 1, 2, 3]);
});

test('they go with their shard, and its memory comes back', () => {
  using folder = temporaryFolder();
  const [stored, names] = [shardIn(folder.path, '1-1-a'), new ShardNames(workspace)];
  const loaded = load(stored);
  const before = workspace.arena.taken;
  names.open(loaded, stored.files);
  names.tell(loaded.handle.address);
  names.close(loaded.handle.address);
  expect(names.tell(loaded.handle.address)).toBe(true);
  expect(workspace.arena.taken).toBe(before);
  names.open(loaded, stored.files);
  tellAll(names, loaded);
  names.close(loaded.handle.address);
  expect(workspace.arena.taken).toBe(before);
  stored.files.remove();
  expect(existsSync(stored.files.names)).toBe(false);
});

test('those of a shard that is gone are removed at the next start', () => {
  using folder = temporaryFolder();
  const { files } = shardIn(folder.path, '1-1-a');
  const left = new ShardFiles(folder.path, '2-0-b').names;
  for (const path of [files.names, left]) writeFileSync(path, '');
  expect(ShardFiles.completeIn(folder.path)).toEqual(['1-1-a']);
  expect([existsSync(files.names), existsSync(left)]).toEqual([true, false]);
});
