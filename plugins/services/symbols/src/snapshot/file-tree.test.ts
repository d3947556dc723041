import type { GitStore, StoredRepository } from '@sextant/contracts';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { FileTrees } from './file-tree.ts';

const { signal } = new AbortController();
const reading = { caller: callerOf('alice'), signal, share: async (): Promise<void> => {} };

test('calls that need a tree with more paths than are kept share one', async () => {
  let whole = 0;
  const repository: Pick<StoredRepository, 'tree'> = {
    async *tree() {
      for (let folder = 0; folder < 12; folder += 1)
        yield Array.from({ length: 1000 }, (_, file) => {
          return { mode: '100644', type: 'blob', id: '1'.repeat(40), size: Number.NaN, path: `${folder}/${file}` };
        });
      whole += 1;
    },
  };
  const trees = new FileTrees({ find: async () => repository } as unknown as GitStore, 1000);
  const read = await Promise.all([1, 2, 3].map(() => trees.read('shop', 'c'.repeat(40), reading)));
  expect(read.map(({ size }) => size)).toEqual([12_000, 12_000, 12_000]);
  expect(new Set(read).size).toBe(1);
  expect(whole).toBe(1);
});
