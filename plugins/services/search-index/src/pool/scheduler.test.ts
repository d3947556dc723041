import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchRequest, SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { RestartableThread } from '@sextant/library-workers';
import { afterEach, expect, test, vi } from 'vitest';
import { startSearch } from '../testing/start-search.ts';
import type { StartedSearch } from '../testing/start-search.ts';
import type { Job, WorkerCalls } from './protocol.ts';
import { sharesOf } from './scheduler.ts';

const { signal } = new AbortController();
const find = async (
  { search }: StartedSearch,
  query: string,
  { mode = 'keyword', user = 1 }: Partial<Pick<SearchRequest, 'mode'>> & { user?: number } = {},
): Promise<SearchResult> =>
  search.find(callerOf('alice', { id: user }), { ...parseQuery(query), mode, limits: defaultSearchLimits }, signal);

interface Place extends AsyncDisposable {
  readonly builder: RepositoryBuilder;
  readonly started: StartedSearch;
  /** The arguments of all calls of a function of the workers so far. */
  calls(name: keyof WorkerCalls): readonly unknown[];
  /** What workers were told to run so far. */
  jobs(): readonly Job[];
}

async function place(files: Record<string, string>, names: readonly string[] = ['shop']): Promise<Place> {
  const folder = temporaryFolder();
  const builders = names.map(
    (name) => new RepositoryBuilder({ folder: join(folder.path, `${name}.git`), isBare: true }),
  );
  for (const each of builders) each.commit({ files });
  const [builder] = builders;
  if (!builder) throw new Error('a place has a repository');
  const spies = [vi.spyOn(RestartableThread.prototype, 'call'), vi.spyOn(RestartableThread.prototype, 'mention')];
  const repositories = Object.fromEntries(names.map((name, at) => [name, builders[at]?.folder ?? '']));
  const started = await startSearch({ folder: folder.path, repositories });
  await started.ready();
  await vi.waitFor(() => expect(started.status()['search']?.isReady).toBe(true), 60_000);
  // The spies do not know the types of the calls.
  const calls = (name: keyof WorkerCalls): unknown[] =>
    spies.flatMap((spy) =>
      spy.mock.calls.filter(([called]) => String(called) === name).map(([, argument]): unknown => argument),
    );
  return {
    builder,
    started,
    calls,
    jobs: () => calls('run') as Job[],
    async [Symbol.asyncDispose]() {
      await started[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

afterEach(() => void vi.restoreAllMocks());

test('where the index shows that there is little to look at no thread is told of a search, and of a question one is', async () => {
  await using shop = await place({ 'a.ts': 'export const first = 1;\n' });
  await vi.waitFor(async () => {
    const before = shop.jobs().length;
    expect((await find(shop.started, 'first')).fileCount).toBe(1);
    // Texts come into memory soon after they can be searched.
    expect(shop.jobs().length).toBe(before);
  }, 60_000);
  const before = shop.jobs().length;
  expect((await find(shop.started, 'what is first', { mode: 'natural' })).fileCount).toBe(1);
  expect(shop.jobs().length).toBeGreaterThan(before);
});

test('little that takes longer than a turn is searched on in turns while nobody else searches, and left to a thread while somebody does', async () => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`f${i}.ts`, 'export const first = 1;\n']));
  await using shop = await place(files);
  const toldOf = async (...searches: Promise<SearchResult>[]): Promise<number> => {
    const before = shop.jobs().length;
    const found = await Promise.all(searches);
    expect(found.map(({ fileCount }) => fileCount)).toEqual(searches.map(() => 40));
    return shop.jobs().length - before;
  };
  await vi.waitFor(async () => expect(await toldOf(find(shop.started, 'first'))).toBe(0), 60_000);
  // As if each step took longer than a turn, and all together no time.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  vi.spyOn(Date, 'now').mockReturnValue(Date.now());
  expect(await toldOf(find(shop.started, 'first'))).toBe(0);
  expect(await toldOf(find(shop.started, 'first'), find(shop.started, 'first'))).toBeGreaterThan(0);
});

test('a search that began with another commit than HEAD names is ended before it is over', async () => {
  const text = `${'abcdefgh '.repeat(2000)}\n`;
  await using shop = await place(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}.txt`, i + text])));
  const slow = '/.{1,900}.{1,900}h /';
  await find(shop.started, 'abcdefgh');
  expect(shop.calls('cancel')).toEqual([]);
  shop.builder.commit({ files: { 'new.txt': 'fresh\n' } });
  await find(shop.started, slow);
  // Once, or more often where the index of the new commit comes while it is searched again.
  expect(shop.calls('cancel')).not.toEqual([]);
});

test('a question is helped with by a thread that has nothing to do', async () => {
  const text = `${'abcdefgh '.repeat(2000)}\n`;
  await using shop = await place(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}.txt`, i + text])));
  const { fileCount } = await find(shop.started, 'abcdefgh -/.{1,900}.{1,900}i /', { mode: 'natural' });
  expect(fileCount).toBe(20);
  expect(shop.jobs().map(({ question }) => question?.memory !== undefined)).toEqual([false, true]);
});

test('what may have to look at many blocks begins on both threads while searches come one after the other, and a list of all does always', async () => {
  const textOf = (i: number): string =>
    i < 3 ? 'abcdefgh ijklmnop rarely\n'.repeat(35_000) : 'abcdefgh ijklmnop\n'.repeat(50_000);
  const files = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`f${i}.txt`, i + textOf(i)]));
  await using shop = await place(files, ['shop', 'store']);
  const viewsOfJobs = async (...searches: Promise<SearchResult>[]): Promise<number[]> => {
    const before = shop.jobs().length;
    const found = await Promise.all(searches);
    expect(found.map(({ fileCount }) => fileCount)).not.toContain(0);
    return shop
      .jobs()
      .slice(before)
      .map(({ views }) => views.length);
  };
  // Of a phrase it is never known that no line defines it, so all files are looked at.
  const long = (): Promise<SearchResult> => find(shop.started, '"abcdefgh ijklmnop"');
  // As if none took long: then nothing is shared later.
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  expect(await viewsOfJobs(long())).toEqual([1, 1]);
  // No line defines what begins with a space, so the first files are the best.
  expect(await viewsOfJobs(find(shop.started, '" ijklmnop" count:50'))).toEqual([2]);
  expect(await viewsOfJobs(find(shop.started, 'rarely'))).toEqual([2]);
  expect(await viewsOfJobs(find(shop.started, 'rarely count:all'))).toEqual([1, 1]);
  expect(await viewsOfJobs(long(), long())).toEqual([1, 1, 2]);
  expect(await viewsOfJobs(long())).toEqual([2]);
  expect(await viewsOfJobs(find(shop.started, 'rarely count:all'))).toEqual([1, 1]);
  now.mockReturnValue(performance.now() + 1000);
  expect(await viewsOfJobs(long())).toEqual([1, 1]);
});

test('where long searches run on all workers one is reserved while somebody else searches, and none when nobody does', async () => {
  const text = `${'abcdefgh '.repeat(2000)}\n`;
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${i}.txt`, i + text]));
  await using shop = await place({ ...files, 'rare.txt': 'rarely\n' });
  const reserved = (): readonly unknown[] => shop.calls('reserve');
  const slow = async (): Promise<number> => {
    const { fileCount } = await find(shop.started, '/.{1,900}.{1,900}h /', { user: 2 });
    return fileCount;
  };
  await find(shop.started, 'rarely');
  expect(reserved()).toEqual([]);
  // As if all took long.
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 10));
  const heavy = Promise.all([slow(), slow(), slow(), slow()]);
  await vi.waitFor(async () => {
    await find(shop.started, 'rarely');
    expect(reserved().length).toBeGreaterThan(0);
  });
  expect(await heavy).toEqual([300, 300, 300, 300]);
  // As many were released.
  expect(reserved().filter((isReserved) => isReserved)).toHaveLength(reserved().length / 2);
});

const sharedViews = [1, 2, 3, 4, 5].map((view) => ({ view, target: view, query: { kind: 'all' } as const }));
const numbers = (shares: ReturnType<typeof sharesOf>): number[][] =>
  shares.map((share) => share.map(({ view }) => view));

test('each thread gets views with about as many blocks, and every view is given once', () => {
  expect(numbers(sharesOf(sharedViews, [10, 40, 20, 25, 5], 2))).toEqual([
    [2, 1],
    [4, 3, 5],
  ]);
  expect(numbers(sharesOf(sharedViews, [Infinity, 1, 1, 1, Infinity], 2))).toEqual([
    [1, 2, 4],
    [5, 3],
  ]);
});

test('of which nothing is known stays together, and nobody gets no view', () => {
  expect(numbers(sharesOf(sharedViews, [], 2))).toEqual([[1, 2, 3, 4, 5]]);
  expect(numbers(sharesOf(sharedViews, [1, 2, 3, 4, 5], 1))).toEqual([[1, 2, 3, 4, 5]]);
  expect(numbers(sharesOf(sharedViews.slice(0, 2), [7, 8], 3))).toEqual([[2], [1]]);
});
