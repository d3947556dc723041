import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { test } from 'vitest';
import { scratch } from '../testing/scratch.ts';
import { watchFile } from './watch-file.ts';

/** Resolves when the file at `path` was seen to change after `edit`. */
async function seenChange(path: string, edit: () => Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = await watchFile(path, resolve, { pollMs: 20, settleMs: 5 });
  await edit();
  await promise;
  stop();
}

test('a file that is written in place is seen to change', async () => {
  await using place = await scratch();
  const file = await place.write('a.yaml', 'a: 1');
  await seenChange(file, () => writeFile(file, 'a: 22'));
});

test('a file that an editor replaces is seen to change', async () => {
  await using place = await scratch();
  const file = await place.write('a.yaml', 'a: 1');
  await seenChange(file, async () => rename(await place.write('a.yaml~', 'a: 2'), file));
});

test('a folder swapped behind links, as in a Kubernetes volume, is seen to change', async () => {
  await using place = await scratch();
  await place.write('v1/a.yaml', 'a: 1');
  await place.write('v2/a.yaml', 'a: 2');
  await symlink('v1', place.path('..data'));
  await symlink('..data/a.yaml', place.path('a.yaml'));
  await seenChange(place.path('a.yaml'), async () => {
    await symlink('v2', place.path('..tmp'));
    await rename(place.path('..tmp'), place.path('..data'));
  });
});

test('a file that was away and came back is seen to change', async () => {
  await using place = await scratch();
  const file = await place.write('a.yaml', 'a: 1');
  await seenChange(file, () => rm(file));
  await seenChange(file, () => place.write('a.yaml', 'a: 1'));
});
