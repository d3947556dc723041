import { closeSync, existsSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { temporaryFolder } from '@sextant/contracts/testing';
import { Arena, Shard, ShardBuilder, Workspace } from '@sextant/library-block-index';
import { afterAll, expect, test } from 'vitest';
import { AttachedSlice } from '../snapshot/attached-snapshot.ts';
import { DamagedIndexError } from './loaded-shard.ts';
import type { LoadedShard } from './loaded-shard.ts';
import { nameRules } from './loaded-shard.ts';
import { ShardFiles } from './shard-files.ts';
import { DefinitionFilters } from './definitions.ts';

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

function buildAll(filters: DefinitionFilters, { handle }: LoadedShard): void {
  for (let isDone = false; !isDone; ) isDone = filters.build(handle.address);
}

test('names are told in steps, kept, and read by the next start', () => {
  using folder = temporaryFolder();
  const [stored, filters] = [shardIn(folder.path, '1-1-a'), new DefinitionFilters(workspace)];
  const loaded = load(stored);
  filters.open(loaded, stored.files);
  expect(filters.build(loaded.handle.address)).toBe(false);
  expect(defining(loaded, 'open')).toEqual([0, 1, 2, 3]);
  buildAll(filters, loaded);
  expect(defining(loaded, 'open')).toEqual([0]);
  filters.close(loaded.handle.address);
  const [again, after] = [load(stored), new DefinitionFilters(workspace)];
  const { ino } = statSync(stored.files.definitions);
  after.open(again, stored.files);
  expect(defining(again, 'close')).toEqual([3]);
  buildAll(after, again);
  expect(statSync(stored.files.definitions).ino).toBe(ino);
});

test.each([
  ['cut', (bytes: Buffer) => bytes.subarray(0, bytes.length - 1)],
  ['changed', (bytes: Buffer) => bytes.fill(7, 30, 31)],
  ['of another shard', (bytes: Buffer) => bytes.fill(7, 12, 13)],
  ['empty', () => Buffer.alloc(0)],
])('where their file is %s they are told anew', (_, spoil) => {
  using folder = temporaryFolder();
  const [stored, filters] = [shardIn(folder.path, '1-1-a'), new DefinitionFilters(workspace)];
  const first = load(stored);
  filters.open(first, stored.files);
  buildAll(filters, first);
  const sound = readFileSync(stored.files.definitions);
  filters.close(first.handle.address);
  writeFileSync(stored.files.definitions, spoil(Buffer.from(sound)));
  const loaded = load(stored);
  filters.open(loaded, stored.files);
  expect(defining(loaded, 'open')).toEqual([0, 1, 2, 3]);
  buildAll(filters, loaded);
  expect(defining(loaded, 'open')).toEqual([0]);
  expect(readFileSync(stored.files.definitions)).toEqual(sound);
});

test('where they cannot be kept they are known all the same, and it is said once', () => {
  using folder = temporaryFolder();
  const filters = new DefinitionFilters(workspace);
  const all = ['1-1-a', '2-1-b'].map((name) => shardIn(folder.path, name));
  const loaded = all.map((each) => {
    const shard = load(each);
    filters.open(shard, each.files);
    return shard;
  });
  rmSync(folder.path, { recursive: true });
  const told = loaded.map((each) => {
    try {
      buildAll(filters, each);
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
  const [stored, filters] = [shardIn(folder.path, '1-1-a'), new DefinitionFilters(workspace)];
  const loaded = load(stored);
  filters.open(loaded, stored.files);
  writeFileSync(stored.files.text, texts.join('').replace('close', 'erase'));
  expect(() => buildAll(filters, loaded)).toThrow(DamagedIndexError);
  expect(existsSync(stored.files.definitions)).toBe(false);
  expect(defining(loaded, 'open')).toEqual([0, 1, 2, 3]);
});

test('they go with their shard, and its memory comes back', () => {
  using folder = temporaryFolder();
  const [stored, filters] = [shardIn(folder.path, '1-1-a'), new DefinitionFilters(workspace)];
  const loaded = load(stored);
  const before = workspace.arena.taken;
  filters.open(loaded, stored.files);
  filters.build(loaded.handle.address);
  filters.close(loaded.handle.address);
  expect(filters.build(loaded.handle.address)).toBe(true);
  expect(workspace.arena.taken).toBe(before);
  filters.open(loaded, stored.files);
  buildAll(filters, loaded);
  filters.close(loaded.handle.address);
  expect(workspace.arena.taken).toBe(before);
  stored.files.remove();
  expect(existsSync(stored.files.definitions)).toBe(false);
});

test('those of a shard that is gone are removed at the next start', () => {
  using folder = temporaryFolder();
  const { files } = shardIn(folder.path, '1-1-a');
  const left = new ShardFiles(folder.path, '2-0-b').definitions;
  for (const path of [files.definitions, left]) writeFileSync(path, '');
  expect(ShardFiles.completeIn(folder.path)).toEqual(['1-1-a']);
  expect([existsSync(files.definitions), existsSync(left)]).toEqual([true, false]);
});
