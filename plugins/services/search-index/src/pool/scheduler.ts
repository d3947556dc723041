import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { ArenaRegion } from '@sextant/library-block-index';
import { canBeDefined } from '@sextant/library-ranking';
import { RestartableThread, ThreadEndedError } from '@sextant/library-workers';
import { smallAnswerFiles } from '../rank/weights.ts';
import type { DividedMemory } from '../shards/divided-memory.ts';
import { DamagedIndexError } from '../shards/loaded-shard.ts';
import { unpackFiles } from '../show/pack.ts';
import type { SnapshotHandle } from '../snapshot/snapshot.ts';
import { longMs } from './fair-scheduler.ts';
import { beginJob } from './job.ts';
import type { JobRequest } from './job.ts';
import type { Job, JobFailure, JobResult, JobView, WorkerCalls, WorkerData } from './protocol.ts';
import { QuickSearches } from './quick-searches.ts';
import { RecentCallers } from './recent-callers.ts';

/** Longest time of one search, in milliseconds. */
const searchMs = 50_000;
/** Idle workers help a search that takes longer than this, in milliseconds: to begin on another one takes about as long. */
const aloneMs = 8;
/** A search that may look at so many blocks begins on every idle worker. */
const manyBlocks = 4096;
/** While others search, a caller with a search that takes longer than this stays on its worker, in milliseconds. */
const stayMs = 20;
/** Milliseconds for which one worker is reserved, before another is. */
const reservedMs = 100;

type SearchWorker = RestartableThread<WorkerCalls>;

/** A search in parts, which workers run; there are more when another worker helps. */
interface RunningSearch {
  /** Parts that run, and answers to `share` that are on their way: they may become parts. */
  pending: number;
  readonly results: JobResult[];
  readonly outcome: PromiseWithResolvers<JobResult[]>;
  isOver: boolean;
}

interface RunningPart {
  readonly job: Job;
  readonly worker: SearchWorker;
  readonly search: RunningSearch;
  readonly begun: number;
  /** Whether it is asked for work now, or has none left to give away. */
  isAsked: boolean;
  isIndivisible: boolean;
}

/**
 * Gives searches to workers. A search begins on one worker, and idle workers help when it takes long. Within a worker,
 * callers share the time (`FairScheduler`). If long searches run on all workers, one is reserved for short ones while
 * somebody has such.
 */
export class SearchScheduler {
  readonly #workers: readonly SearchWorker[];
  readonly #quick: QuickSearches;
  readonly #snapshots = new Map<number, SnapshotHandle>();
  /** All that workers run, the oldest first. */
  readonly #parts = new Set<RunningPart>();
  readonly #callers = new RecentCallers();
  readonly #log: Logger;
  #lastJob = 0;
  #reserved: SearchWorker | undefined;
  #reserving: NodeJS.Timeout | undefined;
  #end: Error | undefined;

  constructor({ main, threads }: Pick<DividedMemory, 'main' | 'threads'>, log: Logger) {
    this.#log = log;
    this.#quick = new QuickSearches(main);
    this.#workers = threads.map((part) => this.#workerWith(part));
  }

  /** Starts the workers, so that the first search need not wait for them. */
  start(): void {
    for (const worker of this.#workers) worker.start();
  }

  add(snapshot: SnapshotHandle): void {
    this.#snapshots.set(snapshot.id, snapshot);
    this.#quick.add(snapshot);
    for (const worker of this.#workers) void worker.mention('add', snapshot);
  }

  /** Resolves when no worker looks at it any more. Canceled searches end before. */
  async forget(snapshot: number): Promise<void> {
    this.#snapshots.delete(snapshot);
    this.#quick.forget(snapshot);
    await Promise.all(this.#workers.map((worker) => worker.mention('forget', snapshot)));
  }

  /** Searches the views of a request; the parts of the answer are in no order. Throws `timeout`, `too_large`, `unavailable`, DamagedIndexError. */
  async run(request: JobRequest, signal: AbortSignal): Promise<JobResult[]> {
    this.#throwIfOver(signal);
    this.#reserveFor(request.caller);
    const isAlone = this.#parts.size === 0 && !this.#callers.wereTogether(performance.now());
    const { result, left, blocks = [] } = await this.#quick.run(request, { isAlone, signal });
    if (result) return [result];
    this.#throwIfOver(signal);
    this.#callers.begin(request.caller, { now: performance.now(), isTogether: this.#parts.size > 0 });
    const search: RunningSearch = { pending: 0, results: [], outcome: Promise.withResolvers(), isOver: false };
    // It may fail before anyone waits for it.
    search.outcome.promise.catch(() => undefined);
    this.#startParts(search, beginJob(left, searchMs), blocks);
    if (request.question) this.#help();
    const cancel = (): void => search.outcome.reject(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    const help = setInterval(() => this.#help(), aloneMs);
    try {
      return await search.outcome.promise;
    } finally {
      clearInterval(help);
      signal.removeEventListener('abort', cancel);
      // If one part failed, the others need not go on.
      this.#stop(search);
    }
  }

  async close(): Promise<void> {
    this.#end = new SextantError('unavailable', 'the server is stopping');
    this.#endReserve();
    for (const { search } of this.#parts) search.outcome.reject(this.#end);
    await Promise.all(this.#workers.map((worker) => worker.close(this.#end)));
  }

  #throwIfOver(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#end) throw this.#end;
  }

  #workerWith(part: ArenaRegion): SearchWorker {
    return new RestartableThread<WorkerCalls>({
      module: new URL('./worker.ts', import.meta.url),
      data: { part } satisfies WorkerData,
      onStart: (worker) => {
        for (const snapshot of this.#snapshots.values()) void worker.mention('add', snapshot);
      },
      onEnd: ({ error }) =>
        this.#log.error({ err: error }, 'a thread that searches failed; it is started again when it is needed'),
    });
  }

  #startParts(search: RunningSearch, job: Omit<Job, 'id'>, blocks: readonly number[]): void {
    const workers = this.#workersFor(job, blocks);
    const shares = sharesOf(job.views, blocks, workers.length);
    for (const [at, worker] of workers.entries()) {
      const views = shares[at];
      if (views) void this.#runPart(search, worker, { ...job, views });
    }
  }

  async #runPart(search: RunningSearch, worker: SearchWorker, request: Omit<Job, 'id'>): Promise<void> {
    const job = { ...request, id: (this.#lastJob += 1) };
    const part = { job, worker, search, begun: performance.now(), isAsked: false, isIndivisible: false };
    this.#parts.add(part);
    search.pending += 1;
    try {
      const answer = await worker.call('run', job);
      this.#remove(part);
      if (!answer) return;
      if ('failure' in answer) throw errorOf(answer.failure);
      search.results.push({ ...answer.result, files: unpackFiles(answer.result.files) });
      this.#finish(search);
    } catch (error) {
      this.#remove(part);
      search.outcome.reject(error instanceof ThreadEndedError ? interrupted(error) : error);
    }
    this.#help();
  }

  /** A part has ended, or nothing was shared. */
  #finish(search: RunningSearch): void {
    search.pending -= 1;
    if (search.pending === 0) search.outcome.resolve(search.results);
  }

  /** Shares the search that takes longest with an idle worker; while others search it stays free for theirs. */
  #help(): void {
    if (this.#end || this.#countOn(this.#leastBusy()) > 0) return;
    const now = performance.now();
    const long = [...this.#parts].find(
      ({ begun, isAsked, isIndivisible, job }) =>
        // A question always takes long.
        (job.question || now - begun >= aloneMs) &&
        !isAsked &&
        !isIndivisible &&
        !this.#callers.areOthersThan(job.caller, now),
    );
    if (long) void this.#share(long);
  }

  async #share(part: RunningPart): Promise<void> {
    const { search, worker, job } = part;
    part.isAsked = true;
    search.pending += 1;
    const shared = await worker.call('share', job.id).catch(() => undefined);
    part.isAsked = false;
    if (search.isOver) return;
    const { id: _, ...request } = job;
    if (shared && shared.views.length > 0) void this.#runPart(search, this.#leastBusy(), { ...request, ...shared });
    else part.isIndivisible = true;
    this.#finish(search);
    this.#help();
  }

  /**
   * Chooses all idle workers for a search that surely takes long. That is one with a large answer, where all files are
   * shown, or one with many blocks while searches do not overlap.
   */
  #workersFor(job: Pick<Job, 'caller' | 'limits' | 'terms'>, blocks: readonly number[]): readonly SearchWorker[] {
    const { caller, limits } = job;
    const now = performance.now();
    const isMuch = blocks.reduce((sum, each) => sum + each, 0) >= manyBlocks && !areFirstBest(job);
    const isLong = limits.files > smallAnswerFiles || (isMuch && !this.#callers.wereTogether(now));
    const isShared = isLong && !this.#callers.areOthersThan(caller, now);
    const idle = isShared ? this.#workers.filter((worker) => this.#countOn(worker) === 0) : [];
    return idle.length > 0 ? idle : [this.#workerFor(caller)];
  }

  /** While others search, the long searches of a caller stay on one worker, so that the others have workers without them. */
  #workerFor(caller: number): SearchWorker {
    const long = this.#partsOver(stayMs).find(({ job }) => job.caller === caller);
    if (long && this.#callers.areOthersThan(caller, performance.now())) return long.worker;
    return this.#reserved ?? this.#leastBusy();
  }

  #leastBusy(): SearchWorker {
    const [first, ...others] = this.#workers;
    if (!first) throw new Error('there is no worker that searches');
    return others.reduce((best, worker) => (this.#countOn(worker) < this.#countOn(best) ? worker : best), first);
  }

  #countOn(worker: SearchWorker): number {
    let count = 0;
    for (const part of this.#parts) if (part.worker === worker) count += 1;
    return count;
  }

  /** Parts that run longer than so many milliseconds. */
  #partsOver(milliseconds: number): RunningPart[] {
    const now = performance.now();
    return [...this.#parts].filter(({ begun }) => now - begun >= milliseconds);
  }

  #stop(search: RunningSearch): void {
    search.isOver = true;
    for (const part of this.#parts) {
      if (part.search !== search) continue;
      void part.worker.mention('cancel', part.job.id);
      this.#remove(part);
    }
  }

  #remove(part: RunningPart): void {
    if (!this.#parts.delete(part)) return;
    const now = performance.now();
    if (now - part.begun >= longMs) this.#callers.noteLong(part.job.caller, now);
    if (this.#reserved && !this.#isReserveNeeded()) this.#endReserve();
  }

  /**
   * Reserves a worker for a caller with short searches while long ones run on all workers. If a long search runs on each
   * of two processors, a short one waits for the operating system at every message to its worker.
   */
  #reserveFor(caller: number): void {
    const now = performance.now();
    for (const { job } of this.#partsOver(longMs)) this.#callers.noteLong(job.caller, now);
    if (!this.#callers.noteShort(caller, now) || this.#reserved || !this.#isReserveNeeded()) return;
    this.#reserve(this.#workers.at(-1));
    this.#reserving = setInterval(() => this.#reserveNext(), reservedMs).unref();
  }

  /** Whether no worker is without a long search. */
  #isReserveNeeded(): boolean {
    const busy = new Set(this.#partsOver(longMs).map(({ worker }) => worker));
    return this.#workers.length > 1 && this.#workers.every((worker) => busy.has(worker));
  }

  /** Each worker in turn: no long search is paused for long. */
  #reserveNext(): void {
    if (!this.#callers.isShortActive(performance.now()) || !this.#isReserveNeeded()) {
      this.#endReserve();
      return;
    }
    const at = this.#reserved ? this.#workers.indexOf(this.#reserved) : -1;
    this.#reserve(this.#workers[(at + 1) % this.#workers.length]);
  }

  #endReserve(): void {
    clearInterval(this.#reserving);
    this.#reserve(undefined);
  }

  #reserve(worker: SearchWorker | undefined): void {
    void this.#reserved?.mention('reserve', false);
    this.#reserved = worker;
    void worker?.mention('reserve', true);
  }
}

/** Views of which nothing is known count as much. */
const unknownBlocks = 2 ** 20;

/** Divides views into `count` shares of about as many blocks each, or into one share if the blocks are not known. */
export function sharesOf(views: readonly JobView[], blocks: readonly number[], count: number): JobView[][] {
  if (count < 2 || blocks.length < views.length) return [[...views]];
  const shares = Array.from({ length: Math.min(count, views.length) }, () => ({ blocks: 0, views: [] as JobView[] }));
  const most = views.map((view, at) => ({ view, blocks: Math.min(blocks[at] ?? 0, unknownBlocks) }));
  for (const each of most.sort((a, b) => b.blocks - a.blocks)) {
    const least = shares.reduce((a, b) => (b.blocks < a.blocks ? b : a));
    least.blocks += each.blocks;
    least.views.push(each.view);
  }
  return shares.map((share) => share.views);
}

/** Whether many files have the highest score: then the first repositories have the best files, and a worker that begins with others finds none. */
const areFirstBest = ({ terms, limits }: Pick<Job, 'terms' | 'limits'>): boolean =>
  limits.files <= smallAnswerFiles &&
  terms.length === 1 &&
  terms.every((term) => 'literal' in term && !canBeDefined(String(term.literal)));

const interrupted = (cause: Error): SextantError =>
  new SextantError('unavailable', 'the search was interrupted by a failure of the server; try again', { cause });

/** What a failed job means to its caller. */
function errorOf(failure: JobFailure): Error {
  switch (failure.kind) {
    case 'damage':
      return new DamagedIndexError(failure.shard);
    case 'late':
      return new SextantError(
        'timeout',
        `the search took longer than ${searchMs / 1000} s; narrow it with repo: or file:`,
      );
    case 'limit':
      return new SextantError('too_large', failure.message);
    case 'bug':
      return new Error(failure.message);
  }
}
