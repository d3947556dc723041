import { expect, test } from 'vitest';
import { SnapshotCache } from './snapshot.ts';
import { noFiles, Snapshot } from './snapshot.ts';
import type { SnapshotHandle } from './snapshot.ts';

/** Snapshots of as many bytes as their numbers say, and which of them were evicted. */
function snapshots(): {
  snapshotOf: (bytes: number) => Snapshot;
  keep: (cache: SnapshotCache, snapshot: Snapshot) => void;
  evicted: Snapshot[];
} {
  const evicted: Snapshot[] = [];
  const snapshotOf = (bytes: number): Snapshot => {
    const none = { pathStarts: new Uint32Array(), documents: new Int32Array(), fileStarts: new Uint32Array() };
    const handle: SnapshotHandle = {
      id: 1,
      files: 0,
      paths: { handle: { address: 0, bytes: 0 }, address: 0 },
      oddPaths: new Map(),
      classes: new Uint8Array(bytes),
      filesOf: new Uint32Array(),
      slices: [],
      ...none,
    };
    return new Snapshot({ handle, counts: noFiles, unsearched: [] }, async () => undefined);
  };
  return { snapshotOf, keep: (cache, snapshot) => cache.keep(snapshot, () => evicted.push(snapshot)), evicted };
}

test('as many snapshots stay as there is room for, and the least recently used go first', () => {
  const { snapshotOf, keep, evicted } = snapshots();
  const cache = new SnapshotCache(1000);
  const all = Array.from({ length: 10 }, () => snapshotOf(100));
  for (const snapshot of all) keep(cache, snapshot);
  expect(evicted).toEqual([]);
  for (const snapshot of all.slice(0, 1)) keep(cache, snapshot);
  keep(cache, snapshotOf(150));
  expect(evicted).toEqual(all.slice(1, 3));
  cache.leave(all[3] ?? snapshotOf(0));
  keep(cache, snapshotOf(150));
  expect(evicted).toEqual(all.slice(1, 3));
});

test('the last eight stay however large they are', () => {
  const { snapshotOf, keep, evicted } = snapshots();
  const cache = new SnapshotCache(1000);
  const all = Array.from({ length: 9 }, () => snapshotOf(5000));
  for (const snapshot of all) keep(cache, snapshot);
  expect(evicted).toEqual(all.slice(0, 1));
});
