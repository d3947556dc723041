import { join } from 'node:path';
import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { Arena, Workspace } from '@sextant/library-block-index';
import { RestartableThread } from '@sextant/library-workers';
import { expect, test, vi } from 'vitest';
import { randomTurns } from '../testing/random-turns.ts';
import { startSearch } from '../testing/start-search.ts';
import type { Job, JobResult } from '../match/job.ts';
import { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';
import type { SnapshotHandle } from '../snapshot/snapshot.ts';
import { BM25Search, likeliest, writeSteps } from './bm25-search.ts';

const words = ['retry', 'request', 'backoff', 'server', 'connection', 'class', 'handle'];
const filler = 'const nothing = 1;\n'.repeat(40);

/** Files of which each has its own mixture of words, in text and name. */
const filesOf = (seed: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 150 }, (_, i) => {
      const own = words.filter((_, word) => (((i + 1) * (seed + word * 7)) >> 2) % 3 === 0);
      const lines = own.map((word, n) => `function ${word}${i % 5}() {}\n// ${word} `.repeat(1 + ((i * n) % 4)));
      return [`src/${own[i % 2] ?? 'part'}/${own[0] ?? 'file'}${i}.ts`, `${filler}${lines.join('\n')}\n${i}\n`];
    }),
  );

/** What a thread was told of a question over two repositories, and the snapshots as this thread knows them. */
async function asked(query: string, work: (job: Job, snapshots: AttachedSnapshots) => void): Promise<void> {
  using folder = temporaryFolder();
  const repositories = Object.fromEntries(
    ['first', 'server'].map((name, i) => {
      const builder = new RepositoryBuilder({ folder: join(folder.path, `${name}.git`), isBare: true });
      builder.commit({ files: filesOf(i + 3) });
      return [name, builder.folder];
    }),
  );
  const [call, mention] = [
    vi.spyOn(RestartableThread.prototype, 'call'),
    vi.spyOn(RestartableThread.prototype, 'mention'),
  ];
  const split = vi.spyOn(Arena.prototype, 'split');
  await using started = await startSearch({ folder: folder.path, repositories, settings: { threads: 1 } });
  await started.ready();
  const { signal } = new AbortController();
  await started.search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'natural', limits: defaultSearchLimits },
    signal,
  );
  // The spies do not know the types of the calls.
  const jobs = call.mock.calls.filter(([name]) => String(name) === 'run').map(([, job]) => job as unknown as Job);
  const job = jobs.at(-1);
  const added = mention.mock.calls.filter(([name]) => String(name) === 'add');
  // The thread has nothing more to do, so its memory is free.
  const [region] = split.mock.results;
  vi.restoreAllMocks();
  if (!job || region?.type !== 'return') throw new Error('no thread was asked');
  const snapshots = new AttachedSnapshots(new Workspace(new Arena(region.value)));
  for (const [, snapshot] of added) snapshots.add(snapshot as unknown as SnapshotHandle);
  work(job, snapshots);
}

const without: JobResult = { files: [], matchCount: 0, fileCount: 0 };

/** What the threads found together, the best first. */
function together(results: readonly JobResult[]): JobResult & { words: unknown } {
  const sum = (of: (result: JobResult) => number): number => results.reduce((all, each) => all + of(each), 0);
  return {
    files: results
      .flatMap(({ files }) => files)
      .sort((a, b) => b.score - a.score || a.target - b.target || a.file - b.file),
    matchCount: sum(({ matchCount }) => matchCount),
    fileCount: sum(({ fileCount }) => fileCount),
    words: results.find(({ filesWithWord }) => filesWithWord)?.filesWithWord,
  };
}

/** Steps of three threads, in any order, of which two are asked to help at some time. */
function runTogether(job: Job, snapshots: AttachedSnapshots, turns: readonly number[]): JobResult {
  const first = new BM25Search(job, snapshots);
  const runs = [first.run()];
  const results: JobResult[] = [];
  const step = (at: number): boolean => {
    const { done, value } = runs[at]?.next() ?? { done: true, value: without };
    if (done && value) results.push(value);
    return done === true;
  };
  for (const turn of turns) {
    const part = first.share();
    if (turn === runs.length && part.snapshots.length > 0)
      runs.push(new BM25Search({ ...job, ...part }, snapshots).run());
    else step(turn);
  }
  while (![...runs.keys()].map(step).every(Boolean));
  return together(results);
}

test.each(['how does the server retry a request with backoff', 'handle connection -/backoff[0-3]/ count:40'])(
  'however many threads answer together, and whichever does what, the answer of %s is the same to the last digit',
  async (query) => {
    await asked(query, (job, snapshots) => {
      const alone = runTogether({ ...job, deadline: Infinity }, snapshots, []);
      expect(alone.fileCount).toBeGreaterThan(20);
      for (let seed = 1; seed <= 12; seed += 1) {
        const turns = randomTurns(seed, { of: 3, length: 16 * seed });
        expect(runTogether({ ...job, deadline: Infinity }, snapshots, turns)).toEqual(alone);
      }
    });
  },
);

const lists = [[0, 3, 1, 7], [], [5, 0, 1, 2]];

/** The scores of what is chosen, list by list. */
function chosen(most: number): number[][] {
  const steps = lists.map((list) => new Uint16Array(list.length));
  for (const [i, list] of lists.entries()) writeSteps(steps[i] ?? new Uint16Array(), Float32Array.from(list), 7);
  return likeliest(steps, most).map((places, i) => [...places].map((place) => lists[i]?.[place] ?? 0));
}

test.each([
  [2, [[7], [], [5]]],
  [5, [[3, 1, 7], [], [5, 2]]],
  [6, [[3, 1, 7], [], [5, 1, 2]]],
  [100, [[3, 1, 7], [], [5, 1, 2]]],
  [0, [[], [], []]],
])(
  '%d with the highest scores are chosen, the first of those that score the same, and none without a score',
  (most, expected) => {
    expect(chosen(most)).toEqual(expected);
  },
);

test('nothing is chosen where nothing has a score', () => {
  const steps = new Uint16Array(2);
  writeSteps(steps, new Float32Array(2), 0);
  expect(likeliest([steps], 3).map(({ isEmpty }) => isEmpty)).toEqual([true]);
});
