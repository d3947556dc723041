import type { StoredRepository } from '@sextant/contracts';
import { SextantError, silentLogger } from '@sextant/core';
import { expect, test, vi } from 'vitest';
import type { PastCommits } from './past-commits.ts';
import { WarmUp } from './warm-up.ts';

const repository = (name: string, head: () => Promise<string | undefined>): StoredRepository => ({
  name,
  branches: [],
  defaultBranch: () => 'main',
  head,
  object: async () => undefined,
  resolve: async () => '',
  refs: async () => [],
  async *patches() {},
  graph: async () => ({
    hashBytes: 20,
    hashes: new Uint8Array(),
    times: new Float64Array(),
    parentStarts: new Uint32Array(1),
    parents: new Uint8Array(),
  }),
  mailmap: async () => [],
  shallow: async () => '',
  async *tree() {},
  async *changes() {},
  async *blobs() {},
  sizes: async () => [],
});
const gone = async (): Promise<string> => {
  throw new SextantError('unavailable', 'it has gone');
};
const list = async (): Promise<StoredRepository[]> => [
  repository('a', async () => 'a1'),
  repository('empty', async () => undefined),
  repository('gone', gone),
  repository('z', async () => 'z1'),
];

const store = { list, untilQuiet: async () => undefined };

test('the past of every default branch is read, and one that cannot be read stops nothing', async () => {
  const before = vi.fn<PastCommits['before']>(async () => []);
  const warmUp = new WarmUp({ store, pastCommits: { before, isFull: false }, log: silentLogger });
  warmUp.start();
  await expect
    .poll(() => before.mock.calls.map(([repo, commit]) => [repo, commit]))
    .toEqual([
      ['a', 'a1'],
      ['z', 'z1'],
    ]);
  await warmUp.close();
});

test('nothing is read that would push out what was', async () => {
  const before = vi.fn<PastCommits['before']>(async () => []);
  const warmUp = new WarmUp({ store, pastCommits: { before, isFull: true }, log: silentLogger });
  warmUp.start();
  await warmUp.close();
  expect(before).not.toHaveBeenCalled();
});

test('closing ends it', async () => {
  const before = vi.fn<PastCommits['before']>(
    (_repo, _commit, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  const warmUp = new WarmUp({ store, pastCommits: { before, isFull: false }, log: silentLogger });
  warmUp.start();
  await expect.poll(() => before.mock.calls.length).toBe(1);
  await warmUp.close();
  expect(before).toHaveBeenCalledOnce();
});
