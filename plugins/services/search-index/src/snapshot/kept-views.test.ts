import { expect, test } from 'vitest';
import { SnapshotCache } from './kept-views.ts';
import { noFiles, Snapshot } from './snapshot.ts';
import type { SnapshotHandle } from './snapshot.ts';

/** Snapshots of as many bytes as their numbers say, and which of them were forgotten. */
function views(): {
  viewOf: (bytes: number) => Snapshot;
  keep: (kept: SnapshotCache, view: Snapshot) => void;
  forgotten: Snapshot[];
} {
  const forgotten: Snapshot[] = [];
  const viewOf = (bytes: number): Snapshot => {
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
  return { viewOf, keep: (kept, view) => kept.keep(view, () => forgotten.push(view)), forgotten };
}

test('as many views stay as there is room for, and those go first that nobody asked for the longest', () => {
  const { viewOf, keep, forgotten } = views();
  const kept = new SnapshotCache(1000);
  const all = Array.from({ length: 10 }, () => viewOf(100));
  for (const view of all) keep(kept, view);
  expect(forgotten).toEqual([]);
  for (const view of all.slice(0, 1)) keep(kept, view);
  keep(kept, viewOf(150));
  expect(forgotten).toEqual(all.slice(1, 3));
  kept.leave(all[3] ?? viewOf(0));
  keep(kept, viewOf(150));
  expect(forgotten).toEqual(all.slice(1, 3));
});

test('the last eight stay however large they are', () => {
  const { viewOf, keep, forgotten } = views();
  const kept = new SnapshotCache(1000);
  const all = Array.from({ length: 9 }, () => viewOf(5000));
  for (const view of all) keep(kept, view);
  expect(forgotten).toEqual(all.slice(0, 1));
});
