import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { temporaryFolder } from '@sextant/contracts/testing';
import { replaceFile } from '@sextant/library-block-index';
import { expect, test } from 'vitest';
import type { LoadedPaths, StoredShard } from '../shards/loaded-shard.ts';
import { ShardSet } from '../shards/shard-set.ts';
import { packTable } from '../shards/shard-files.ts';
import { buildFiles } from './build-snapshot.ts';
import type { SnapshotFiles } from './build-snapshot.ts';
import { StoredSnapshots } from './stored-snapshots.ts';
import { buildHandle } from './build-snapshot.ts';

const maxFileBytes = 100;
const content = { path: '', descriptor: undefined, address: new Uint32Array(1) };
const shardOf = (name: string, documents: string[], binary: string[] = []): StoredShard => ({
  name,
  memoryBytes: 0,
  handle: { address: 0, bytes: 0 },
  content,
  documents: documents.length,
  table: packTable({ documents, binary }),
});
const [one, unused, two] = [
  shardOf('1-1-a', ['aa', 'bb'], ['ff']),
  shardOf('2-1-b', ['cc']),
  shardOf('3-1-c', ['dd', 'ee']),
];
const shards = new ShardSet([one, unused, two]);
const tree = {
  paths: ['a.ts', 'b\nc.ts', 'dist/ü.js', 'image', 'large', 'link', 'same.ts'],
  blobs: ['dd', 'bb', 'aa', 'ff', '99', undefined, 'dd'],
  sizes: [1, 1, 1, 1, 1000, 1, 1],
};
const built = await buildFiles(tree, { set: shards, maxFileBytes });
const paths: LoadedPaths = { handle: { address: 0, bytes: 0 }, address: 0 };

const plain = ({ text, ...files }: SnapshotFiles): unknown => ({ ...files, text: Buffer.from(text).toString() });

test('files are mapped to the shards that have their text', async () => {
  expect(plain(built)).toMatchObject({ text: 'a.ts\nb c.ts\ndist/ü.js\nimage\nlarge\nlink\nsame.ts\n' });
  expect(built.shards).toEqual([one, two]);
  expect([...built.documents]).toEqual([2, 1, 0, -1, -2, -1, 2]);
  expect(built.counts).toEqual({ files: 7, binary: 1, tooLarge: 1, withoutText: 1, missing: 0, generated: 1 });
  const view = await buildHandle(built, paths);
  expect([...view.pathStarts]).toEqual([0, 5, 12, 23, 29, 35, 40, 48]);
  expect([...view.fileStarts]).toEqual([0, 1, 2, 4, 4]);
  expect([...view.filesOf]).toEqual([2, 1, 0, 6]);
  expect(view.slices.map(({ name, base }) => [name, base])).toEqual([
    ['1-1-a', 0],
    ['3-1-c', 2],
  ]);
});

test('what was built once is kept, whatever other shards there are', async () => {
  using folder = temporaryFolder();
  const stored = new StoredSnapshots({ folder: folder.path, maxFileBytes });
  await stored.write('c1', built);
  for (const each of [shards, new ShardSet([shardOf('0-1-z', ['88']), one, two])])
    expect(plain((await stored.read('c1', each)) ?? built)).toEqual(plain(built));
  expect(await stored.read('c2', shards)).toBeUndefined();
});

test('what was made of other shards, by another limit or another version, or is damaged is not taken', async () => {
  using folder = temporaryFolder();
  const stored = new StoredSnapshots({ folder: folder.path, maxFileBytes });
  await stored.write('c1', built);
  expect(await stored.read('c1', new ShardSet([one, unused]))).toBeUndefined();
  expect(await stored.read('c1', new ShardSet([one, shardOf('3-1-c', ['dd'])]))).toBeUndefined();
  const other = new StoredSnapshots({ folder: folder.path, maxFileBytes: 99 });
  expect(await other.read('c1', shards)).toBeUndefined();
  const [name = ''] = readdirSync(folder.path);
  const path = join(folder.path, name);
  const sound = readFileSync(path);
  for (const damaged of [sound.subarray(0, 60), sound.subarray(0, 3), Buffer.from(sound).fill(7, 70, 71)]) {
    writeFileSync(path, damaged);
    expect(await stored.read('c1', shards)).toBeUndefined();
  }
  for (const unlike of [Buffer.from('not packed as now'), zstdCompressSync('said otherwise')]) {
    replaceFile(path, unlike);
    expect(await stored.read('c1', shards)).toBeUndefined();
  }
});

test('while a tree of many files is built others have the event loop', async () => {
  const paths = Array.from({ length: 200_000 }, (_, file) => `${file % 100}/${file}.ts`);
  let turns = 0;
  const other = setInterval(() => (turns += 1), 0);
  await buildFiles({ paths, blobs: paths.map(() => 'dd'), sizes: paths.map(() => 1) }, { set: shards, maxFileBytes });
  clearInterval(other);
  expect(turns).toBeGreaterThan(3);
});
