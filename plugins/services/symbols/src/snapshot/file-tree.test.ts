import type { GitStore, StoredRepository } from '@sextant/contracts';
import { Turn } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { FileTrees } from './file-tree.ts';

const caller = callerOf('alice');
const { signal } = new AbortController();
const commit = { repo: 'shop', commit: 'c'.repeat(40) };

/** Trees of a repository with so many folders of 1000 files, and how many listings have ended. */
function treesOf(folders: number) {
  const listings = { whole: 0 };
  const repository: Pick<StoredRepository, 'tree'> = {
    async *tree() {
      for (let folder = 0; folder < folders; folder += 1)
        yield Array.from({ length: 1000 }, (_, file) => {
          return { mode: '100644', type: 'blob', id: '1'.repeat(40), size: Number.NaN, path: `${folder}/${file}` };
        });
      listings.whole += 1;
    },
  };
  return { trees: new FileTrees({ find: async () => repository } as unknown as GitStore, 1000, new Turn()), listings };
}

test.each([
  ['more paths than are listed at once', 12],
  ['few paths', 1],
])('calls that need a tree with %s share one', async (_, folders) => {
  const { trees, listings } = treesOf(folders);
  const read = await Promise.all([1, 2, 3].map(() => trees.read(caller, commit, signal)));
  expect(read.map(({ size }) => size)).toEqual([1, 2, 3].map(() => folders * 1000));
  expect(new Set(read).size).toBe(1);
  expect(await trees.read(caller, commit, signal)).toBe(read[0]);
  expect(listings).toEqual({ whole: 1 });
});

test('a call that is given up leaves the tree to the others', async () => {
  const { trees, listings } = treesOf(12);
  const leaving = new AbortController();
  const [left, read] = [trees.read(caller, commit, leaving.signal), trees.read(caller, commit, signal)];
  leaving.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect((await read).size).toBe(12_000);
  expect(listings).toEqual({ whole: 1 });
});
