import { expect, test } from 'vitest';
import { LastSnapshot, noFiles, Snapshot } from './snapshot.ts';
import type { SnapshotHandle } from './snapshot.ts';

const handle: SnapshotHandle = {
  id: 1,
  files: 0,
  paths: { handle: { address: 0, bytes: 0 }, address: 0 },
  pathStarts: new Uint32Array(),
  oddPaths: new Map(),
  classes: new Uint8Array(),
  documents: new Int32Array(),
  fileStarts: new Uint32Array(),
  filesOf: new Uint32Array(),
  slices: [],
};

test('the snapshot that was used last is held again, until it is retired', async () => {
  let released = 0;
  const snapshot = new Snapshot({ handle, counts: noFiles, unsearched: [] }, async () => void (released += 1));
  const last = new LastSnapshot();
  expect(last.hold('a')).toBeUndefined();
  last.set('a', snapshot);
  expect(last.hold('b')).toBeUndefined();
  expect(last.hold('a')).toBe(snapshot);
  const retired = snapshot.retire();
  expect(last.hold('a')).toBeUndefined();
  expect(released).toBe(0);
  snapshot.release();
  await retired;
  expect(released).toBe(1);
});

test('who retires a snapshot is told when its memory is freed, which happens once', async () => {
  const [events, looking]: [string[], PromiseWithResolvers<void>] = [[], Promise.withResolvers<void>()];
  const snapshot = new Snapshot({ handle, counts: noFiles, unsearched: [] }, async () => {
    events.push('released');
    await looking.promise;
  });
  const retired = Promise.all([snapshot.retire(), snapshot.retire()]).then(() => events.push('given back'));
  events.push('nobody looks at it');
  looking.resolve();
  await retired;
  expect(events).toEqual(['released', 'nobody looks at it', 'given back']);
});
