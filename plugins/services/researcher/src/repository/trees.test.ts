import { join } from 'node:path';
import type { GitStore, StoredRepository } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { expect, test } from 'vitest';
import { startResearcher } from '../testing/start-researcher.ts';
import { Trees } from './trees.ts';

/** Trees of more files are listed one at a time. */
const mostAtOnce = 10_000;
const { signal } = new AbortController();
const commits = ['a', 'b'].map((letter) => letter.repeat(40));
const opened = (commit = 'a'.repeat(40), user = 'alice') => ({ caller: callerOf(user), repo: 'shop', commit });
const pathOf = (file: number): string => `f${String(file).padStart(5, '0')}`;

/** A store with one repository, in which each commit has so many files; tells how many listings were read to the end, and how many at once beyond what anybody may list. */
function storeOf(files: number): { store: GitStore; seen: { whole: number; now: number; most: number } } {
  const seen = { whole: 0, now: 0, most: 0 };
  const repository: Pick<StoredRepository, 'tree' | 'sizes'> = {
    async *tree(_commit, { signal }) {
      let isCounted = false;
      try {
        for (let file = 0; file < files; file += 1) {
          if (file > mostAtOnce && !isCounted) {
            isCounted = true;
            seen.now += 1;
            seen.most = Math.max(seen.most, seen.now);
          }
          await Promise.resolve();
          signal.throwIfAborted();
          yield [{ mode: '100644', type: 'blob', id: '1'.repeat(40), size: 5, path: pathOf(file) }];
        }
        seen.whole += 1;
      } finally {
        if (isCounted) seen.now -= 1;
      }
    },
    sizes: async (ids) => ids.map(() => 5),
  };
  return { store: { find: async () => repository } as unknown as GitStore, seen };
}

test('calls at the same time list the files of a commit once', async () => {
  const { store, seen } = storeOf(mostAtOnce + 9);
  const trees = new Trees(store, 20_000);
  const sizes = await Promise.all([1, 2, 3].map(() => trees.whole(opened(), async ({ size }) => size, signal)));
  expect(sizes).toEqual([10_009, 10_009, 10_009]);
  expect(seen).toMatchObject({ whole: 1, most: 1 });
});

test('calls that want files of a large commit share a listing, and each gets its own', async () => {
  const { store, seen } = storeOf(2000);
  const trees = new Trees(store, 1000);
  expect(await trees.whole(opened(), async ({ size }) => size, signal)).toBeUndefined();
  const some = await Promise.all([1, 2, 1999, 2000].map((file) => trees.some(opened(), [pathOf(file)], signal)));
  expect(some.map(({ files }) => [...files])).toEqual([
    [[pathOf(1), { blob: '1'.repeat(40), bytes: 5 }]],
    [[pathOf(2), { blob: '1'.repeat(40), bytes: 5 }]],
    [[pathOf(1999), { blob: '1'.repeat(40), bytes: 5 }]],
    [],
  ]);
  expect(some[0]?.fileCount).toBe(2000);
  expect(seen.whole).toBe(1);
  const running = trees.some(opened(), [pathOf(1)], signal);
  await new Promise((resolve) => setImmediate(resolve));
  expect((await trees.some(opened(), [pathOf(0)], signal)).files.size).toBe(1);
  await running;
  expect(await trees.whole(opened(), async ({ size }) => size, signal)).toBeUndefined();
});

test('commits are listed one after the other, and one whose caller left keeps nobody waiting', async () => {
  const { store, seen } = storeOf(mostAtOnce + 9);
  const trees = new Trees(store, 20_000);
  const leaving = new AbortController();
  const left = ['running', 'waiting'].map((user, at) =>
    trees.whole(opened(commits[at], user), async ({ size }) => size, leaving.signal),
  );
  const staying = trees.whole(opened(commits[1]), async ({ size }) => size, signal);
  leaving.abort(new Error('left'));
  for (const call of left) await expect(call).rejects.toThrow('left');
  expect(await staying).toBe(10_009);
  expect(seen.most).toBe(1);
});

test('a repository with more files than are kept is answered from its searches, and says so', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  const many = Array.from({ length: 1001 }, (_, file): [string, string] => [pathOf(file), 'nothing\n']);
  builder.commit({ files: { ...Object.fromEntries(many), 'src/cart.ts': 'export const firstNeedle = 1;\n' } });
  const repositories = { 'acme/shop': builder.folder };
  await using started = await startResearcher({ folder: folder.path, repositories }, { cachedPaths: 1000 });
  const work = { signal, reportProgress: (): void => {} };
  const ask = (task: string) => started.researcher.locate(callerOf('alice'), { task }, work);
  const [found, named, none] = await Promise.all(
    ['firstNeedle', 'crash at /home/me/src/cart.ts:1', 'zebra quagga'].map((task) => ask(`In acme/shop: ${task}`)),
  );
  for (const { locations } of [found, named].flatMap((answer) => answer ?? []))
    expect(locations[0]).toMatchObject({ path: 'src/cart.ts', startLine: 1 });
  expect(found?.summary).toContain('acme/shop has 1002 files at this commit, too many to look through');
  expect(none).toMatchObject({ locations: [], summary: expect.stringMatching(/^Nothing was found\.\n.* too many/) });
});

test('what the limits cut short is never said to be all that there is', async () => {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  builder.commit({ files: { 'src/cart.ts': 'export const firstNeedle = 1;\n' } });
  await using started = await startResearcher({
    folder: folder.path,
    repositories: { 'acme/shop': builder.folder },
  });
  const spent = { signal, reportProgress: (): void => {}, maxCalls: 0 };
  const { summary } = await started.researcher.locate(callerOf('alice'), { task: 'acme/shop: firstNeedle' }, spent);
  expect(summary).toMatch(/^Nothing was found in time\.\nThe search was cut short/);
  const { markdown } = await started.researcher.answer(callerOf('alice'), { question: 'firstNeedle?' }, spent);
  expect(markdown).toMatch(/^Nothing was found in time\. The search was cut short/);
});
