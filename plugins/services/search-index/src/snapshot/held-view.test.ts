import { expect, test } from 'vitest';
import { noFiles } from './file-counts.ts';
import { HeldView, LastView } from './held-view.ts';
import type { ViewHandle } from '../pool/protocol.ts';

const handle: ViewHandle = {
  id: 1,
  files: 0,
  paths: { handle: { address: 0, bytes: 0 }, address: 0 },
  pathStarts: new Uint32Array(),
  oddPaths: new Map(),
  classes: new Uint8Array(),
  documents: new Int32Array(),
  fileStarts: new Uint32Array(),
  filesOf: new Uint32Array(),
  parts: [],
};

test('the view that was asked for last is held again, until it is retired', async () => {
  let released = 0;
  const view = new HeldView({ handle, counts: noFiles, namedOnly: [] }, async () => void (released += 1));
  const last = new LastView();
  expect(last.hold('a')).toBeUndefined();
  last.set('a', view);
  expect(last.hold('b')).toBeUndefined();
  expect(last.hold('a')).toBe(view);
  const retired = view.retire();
  expect(last.hold('a')).toBeUndefined();
  expect(released).toBe(0);
  view.letGo();
  await retired;
  expect(released).toBe(1);
});

test('who retires a view is told when it is given back, which happens once', async () => {
  const [events, looking]: [string[], PromiseWithResolvers<void>] = [[], Promise.withResolvers<void>()];
  const view = new HeldView({ handle, counts: noFiles, namedOnly: [] }, async () => {
    events.push('released');
    await looking.promise;
  });
  const retired = Promise.all([view.retire(), view.retire()]).then(() => events.push('given back'));
  events.push('nobody looks at it');
  looking.resolve();
  await retired;
  expect(events).toEqual(['released', 'nobody looks at it', 'given back']);
});
