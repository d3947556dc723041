import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchRequest, SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { RestartableThread } from '@sextant/library-workers';
import { afterEach, expect, test, vi } from 'vitest';
import { startSearch } from '../testing/start-search.ts';
import type { StartedSearch } from '../testing/start-search.ts';
import type { Job } from '../match/job.ts';

const { signal } = new AbortController();
const find = async (
  { search }: StartedSearch,
  query: string,
  { mode = 'keyword' }: Partial<Pick<SearchRequest, 'mode'>> = {},
): Promise<SearchResult> =>
  search.find(callerOf('alice'), { ...parseQuery(query), mode, limits: defaultSearchLimits }, signal);

interface Place extends AsyncDisposable {
  readonly started: StartedSearch;
  /** What workers were told to run so far. */
  jobs(): readonly Job[];
}

async function place(files: Record<string, string>, names: readonly string[] = ['shop']): Promise<Place> {
  const folder = temporaryFolder();
  const builders = names.map(
    (name) => new RepositoryBuilder({ folder: join(folder.path, `${name}.git`), isBare: true }),
  );
  for (const each of builders) each.commit({ files });
  const spy = vi.spyOn(RestartableThread.prototype, 'call');
  const repositories = Object.fromEntries(names.map((name, at) => [name, builders[at]?.folder ?? '']));
  const started = await startSearch({ folder: folder.path, repositories });
  await started.ready();
  await expect.poll(() => started.status()['search']?.isReady).toBe(true);
  return {
    started,
    // The spy does not know the types of the calls.
    jobs: () => spy.mock.calls.filter(([called]) => String(called) === 'run').map(([, job]) => job as unknown as Job),
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

afterEach(() => void vi.restoreAllMocks());

test('a question is helped with by a thread that has nothing to do', async () => {
  const text = `${'abcdefgh '.repeat(2000)}\n`;
  await using shop = await place(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}.txt`, i + text])));
  const { fileCount } = await find(shop.started, 'abcdefgh -/.{1,900}.{1,900}i /', { mode: 'natural' });
  expect(fileCount).toBe(20);
  expect(shop.jobs().map(({ question }) => question?.memory !== undefined)).toEqual([false, true]);
});

test('a search that takes long is shared with a worker that has nothing to do', async () => {
  const text = `${'abcdefgh '.repeat(2000)}\n`;
  const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`f${i}.txt`, i + text]));
  await using shop = await place(files, ['shop', 'store']);
  expect((await find(shop.started, '/.{1,900}.{1,900}h /')).fileCount).toBe(200);
  const snapshots = shop.jobs().map((job) => job.snapshots.length);
  expect(snapshots[0]).toBe(2);
  expect(snapshots.length).toBeGreaterThan(1);
});
