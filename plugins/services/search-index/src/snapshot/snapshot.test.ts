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

test('the view that was asked for last is held again, until it is retired', async () => {
  let released = 0;
  const view = new Snapshot({ handle, counts: noFiles, unsearched: [] }, async () => void (released += 1));
  const last = new LastSnapshot();
  expect(last.hold('a')).toBeUndefined();
  last.set('a', view);
  expect(last.hold('b')).toBeUndefined();
  expect(last.hold('a')).toBe(view);
  const retired = view.retire();
  expect(last.hold('a')).toBeUndefined();
  expect(released).toBe(0);
  view.release();
  await retired;
  expect(released).toBe(1);
});

test('who retires a view is told when it is given back, which happens once', async () => {
  const [events, looking]: [string[], PromiseWithResolvers<void>] = [[], Promise.withResolvers<void>()];
  const view = new Snapshot({ handle, counts: noFiles, unsearched: [] }, async () => {
    events.push('released');
    await looking.promise;
  });
  const retired = Promise.all([view.retire(), view.retire()]).then(() => events.push('given back'));
  events.push('nobody looks at it');
  looking.resolve();
  await retired;
  expect(events).toEqual(['released', 'nobody looks at it', 'given back']);
});
