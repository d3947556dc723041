import { SextantError, currentMeter, metered } from '@sextant/core';
import type { Logger, ProcessorMeter } from '@sextant/core';
import type { ArenaRegion } from '@sextant/library-block-index';
import { RestartableThread, ThreadEndedError } from '@sextant/library-workers';
import { noScore } from '../rank/top-files.ts';
import { DamagedIndexError } from '../shards/loaded-shard.ts';
import type { SnapshotHandle } from '../snapshot/snapshot.ts';
import type { Job, JobRequest, JobResult } from '../match/job.ts';
import type { JobFailure, WorkerCalls, WorkerData } from './worker.ts';

/** Longest time of one search, in milliseconds. */
const searchMs = 50_000;
/** Idle workers help a search that takes longer than this, in milliseconds: to begin on another one takes about as long. */
const aloneMs = 8;

type SearchThread = RestartableThread<WorkerCalls>;

/** A search, in one part for each worker that runs it. It begins with one. */
interface RunningSearch {
  readonly meter: ProcessorMeter | undefined;
  /** Running parts plus pending calls of `share`, each of which may start one more part. */
  pending: number;
  readonly results: JobResult[];
  readonly outcome: PromiseWithResolvers<JobResult[]>;
  isOver: boolean;
}

interface RunningPart {
  readonly job: Job;
  readonly worker: SearchThread;
  readonly search: RunningSearch;
  readonly begun: number;
  /** Whether a call of `share` is pending. */
  isAsked: boolean;
  /** Whether it has no work left to give away. */
  isIndivisible: boolean;
}

/**
 * Gives searches to workers. A search begins on the worker that has least to do, and idle workers help when it takes
 * long. Within a worker, callers share the time (`FairScheduler`).
 */
export class SearchScheduler {
  readonly #workers: readonly SearchThread[];
  readonly #snapshots = new Map<number, SnapshotHandle>();
  /** All that workers run, the oldest first. */
  readonly #parts = new Set<RunningPart>();
  readonly #log: Logger;
  #lastJob = 0;
  #end: Error | undefined;

  constructor(threads: readonly ArenaRegion[], log: Logger) {
    this.#log = log;
    this.#workers = threads.map((part) => this.#workerWith(part));
  }

  /** Starts the workers, so that the first search need not wait for them. */
  start(): void {
    for (const worker of this.#workers) worker.start();
  }

  add(snapshot: SnapshotHandle): void {
    this.#snapshots.set(snapshot.id, snapshot);
    for (const worker of this.#workers) void worker.mention('add', snapshot);
  }

  /** Resolves when no worker looks at it any more. Canceled searches end before. */
  async forget(snapshot: number): Promise<void> {
    this.#snapshots.delete(snapshot);
    await Promise.all(this.#workers.map((worker) => worker.mention('forget', snapshot)));
  }

  /** Searches the snapshots of a request; the parts of the answer are in no order. Throws `timeout`, `too_large`, `unavailable`, DamagedIndexError. */
  async run(request: JobRequest, signal: AbortSignal): Promise<JobResult[]> {
    signal.throwIfAborted();
    if (this.#end) throw this.#end;
    const search: RunningSearch = {
      meter: currentMeter(),
      pending: 0,
      results: [],
      outcome: Promise.withResolvers(),
      isOver: false,
    };
    // It may fail before anyone waits for it.
    search.outcome.promise.catch(() => undefined);
    const job = { ...request, threshold: noScore(), deadline: Date.now() + searchMs };
    void this.#runPart(search, this.#leastBusy(), job);
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
    for (const { search } of this.#parts) search.outcome.reject(this.#end);
    await Promise.all(this.#workers.map((worker) => worker.close(this.#end)));
  }

  #workerWith(part: ArenaRegion): SearchThread {
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

  async #runPart(search: RunningSearch, worker: SearchThread, request: Omit<Job, 'id'>): Promise<void> {
    const job = { ...request, id: (this.#lastJob += 1) };
    const part = { job, worker, search, begun: performance.now(), isAsked: false, isIndivisible: false };
    this.#parts.add(part);
    search.pending += 1;
    try {
      const answer = await metered(search.meter, () => worker.call('run', job));
      this.#parts.delete(part);
      if (!answer) return;
      if ('failure' in answer) throw errorOf(answer.failure);
      search.results.push(answer.result);
      this.#finish(search);
    } catch (error) {
      this.#parts.delete(part);
      search.outcome.reject(error instanceof ThreadEndedError ? interrupted(error) : error);
    }
    this.#help();
  }

  /** A part has ended, or nothing was shared. */
  #finish(search: RunningSearch): void {
    search.pending -= 1;
    if (search.pending === 0) search.outcome.resolve(search.results);
  }

  /** Shares the search that takes longest with an idle worker. */
  #help(): void {
    if (this.#end || this.#countOn(this.#leastBusy()) > 0) return;
    const now = performance.now();
    const long = [...this.#parts].find(
      ({ begun, isAsked, isIndivisible, job }) =>
        // A question always takes long.
        (job.question || now - begun >= aloneMs) && !isAsked && !isIndivisible,
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
    if (shared && shared.snapshots.length > 0) void this.#runPart(search, this.#leastBusy(), { ...request, ...shared });
    else part.isIndivisible = true;
    this.#finish(search);
    this.#help();
  }

  #leastBusy(): SearchThread {
    const [first, ...others] = this.#workers;
    if (!first) throw new Error('there is no worker that searches');
    return others.reduce((best, worker) => (this.#countOn(worker) < this.#countOn(best) ? worker : best), first);
  }

  #countOn(worker: SearchThread): number {
    let count = 0;
    for (const part of this.#parts) if (part.worker === worker) count += 1;
    return count;
  }

  #stop(search: RunningSearch): void {
    search.isOver = true;
    for (const part of this.#parts) {
      if (part.search !== search) continue;
      void part.worker.mention('cancel', part.job.id);
      this.#parts.delete(part);
    }
  }
}

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
