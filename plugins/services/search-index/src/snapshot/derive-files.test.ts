import { removedMode } from '@sextant/contracts';
import type { ChangedEntry } from '@sextant/contracts';
import { expect, test } from 'vitest';
import type { StoredShard } from '../shards/loaded-shard.ts';
import { ShardSet } from '../shards/shard-set.ts';
import { packTable } from '../shards/shard-files.ts';
import { Random } from '../testing/random.ts';
import { deriveFiles } from './derive-files.ts';
import type { KnownFiles } from './derive-files.ts';
import { basesOf, buildFiles } from './build-snapshot.ts';
import type { SnapshotFiles } from './build-snapshot.ts';
import { renumberFiles } from './derive-files.ts';
import { treeOf } from './tree-changes.ts';
import { buildHandle } from './build-snapshot.ts';

const maxFileBytes = 100;
const shardOf = (name: string, documents: string[], binary: string[] = []): StoredShard => ({
  name,
  memoryBytes: 0,
  loaded: {
    handle: { address: 0, bytes: 0 },
    trigrams: new Uint32Array(2),
    content: { descriptor: 0, address: new Uint32Array(1) },
    definitions: new Uint32Array(1),
    documents: documents.length,
  },
  table: packTable({ documents, skipped: Object.fromEntries(binary.map((id) => [id, 'binary'])) }),
});
const shards = new ShardSet([
  shardOf('1-1-a', ['a0', 'a1', 'a2', 'a3'], ['b0', 'b1']),
  shardOf('2-1-b', ['c0']),
  shardOf('3-1-c', ['c1', 'c2']),
]);
const [large, lacking] = ['d0', 'e0'];
const ids = ['a0', 'a1', 'a2', 'a3', 'b0', 'b1', 'c0', 'c1', 'c2', large];
const paths = ['a', 'a.ts', 'a/b', 'a/b.c/d', 'a/é.ts', 'ab', 'dist/x.js', 'z', 'é', 'é/test/y'];

type Entry = Pick<ChangedEntry, 'mode' | 'id'>;
/** By path. */
type Files = ReadonlyMap<string, Entry>;
const file = (id: string): Entry => ({ mode: '100644', id });
const filesOf = (files: Record<string, Entry>): Files => new Map(Object.entries(files));

const sizes = new Map(ids.map((id) => [id, id === large ? 1000 : 1]));
const built = async (files: Files, set = shards): Promise<KnownFiles> => {
  const changes = [...files]
    .map(([path, entry]) => ({ path, ...entry, before: undefined }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const all = await buildFiles(treeOf(changes, sizes), { set, maxFileBytes });
  const { pathStarts } = await buildHandle(all, { handle: { address: 0, bytes: 0 }, address: 0 });
  return { ...all, pathStarts };
};
const changesOf = (before: Files, after: Files): ChangedEntry[] =>
  [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((path) => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was?.id === is?.id && was?.mode === is?.mode) return [];
    return [{ path, ...(is ?? { mode: removedMode, id: '' }), before: was }];
  });
const changed = async (before: Files, after: Files): Promise<SnapshotFiles | undefined> =>
  deriveFiles(await built(before), changesOf(before, after), { set: shards, maxFileBytes, sizes });

/** Whatever other shards the files have. */
function told(files: SnapshotFiles | undefined): unknown {
  if (!files) return undefined;
  const { text, odd, classes, documents, shards: ofFiles, counts } = files;
  const bases = [...basesOf(ofFiles)];
  const placeOf = (document: number): unknown => {
    const [shard, base = 0] = bases.findLast(([, first]) => document >= first) ?? [];
    return document < 0 ? document : [shard?.name, document - base];
  };
  return {
    text: Buffer.from(text).toString(),
    odd,
    classes: [...classes],
    places: [...documents].map(placeOf),
    counts,
  };
}

test('files that were changed are built as all would be', async () => {
  const random = new Random(7);
  const some = (): Files => {
    const chosen = paths.filter(() => random.isOneOf(2));
    return filesOf(
      Object.fromEntries(
        chosen.map((path) => {
          const id = ids[random.below(ids.length)] ?? '';
          const modes = ['100644', '100755', '120000', '160000'];
          return [path, { mode: modes[random.below(random.isOneOf(3) ? 4 : 1)] ?? '', id }];
        }),
      ),
    );
  };
  for (let i = 0; i < 400; i += 1) {
    const [before, after] = [some(), some()];
    expect(told(await changed(before, after))).toEqual(told(await built(after)));
  }
});

test.each([
  ['content is missing', { a: file('a0') }, { a: file(lacking) }],
  ['content was missing', { a: file(lacking) }, { a: file(lacking), b: file('a0') }],
  ['a path has a line end', { a: file('a0') }, { a: file('a0'), 'b\nc': file('a1') }],
  ['a path had a line end', { 'b\nc': file('a1') }, { a: file('a0'), 'b\nc': file('a1') }],
])('they are not where %s', async (_, before, after) =>
  expect(
    await changed(filesOf(before as Record<string, Entry>), filesOf(after as Record<string, Entry>)),
  ).toBeUndefined(),
);

test('they are not where a path is no text, or what was before is not what is said', async () => {
  const before = await built(filesOf({ a: file('a0') }));
  const isDerived = (change: Omit<ChangedEntry, 'before'> & Partial<ChangedEntry>): boolean =>
    deriveFiles(before, [{ before: undefined, ...change }], { set: shards, maxFileBytes, sizes }) !== undefined;
  expect(isDerived({ path: '\u{fffd}', ...file('a1') })).toBe(false);
  expect(isDerived({ path: 'b', ...file('a1'), before: file('a2') })).toBe(false);
  expect(isDerived({ path: 'a', ...file('a1') })).toBe(false);
  expect(isDerived({ path: 'b', ...file('a1') })).toBe(true);
});

test('files that were built over small shards are built over the one that they became, as far as it has them', async () => {
  const files = filesOf({ a: file('a0'), b: file('c0'), c: file('c2'), d: file('b0'), e: file(large) });
  const [first] = shards.shards;
  if (!first) throw new Error('there is a shard');
  const merged = new ShardSet([shardOf('4-1-d', ['c2', 'c0'], ['b0']), first]);
  const before = await built(files);
  expect(told(renumberFiles(before, merged))).toEqual(told(await built(files, merged)));
  expect(renumberFiles(before, new ShardSet([first, shardOf('5-1-e', ['c2'])]))).toBeUndefined();
  expect(renumberFiles(before, new ShardSet([...shards.shards, shardOf('6-1-f', ['a0'])]))).toBe(before);
});
