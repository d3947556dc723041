import { workerData } from 'node:worker_threads';
import { Arena, LimitError, QueryError, Workspace } from '@sextant/library-block-index';
import type { ArenaRegion } from '@sextant/library-block-index';
import { answerCalls, threadMilliseconds } from '@sextant/library-workers/thread';
import type { IsCanceled, Spend } from '@sextant/library-workers/thread';
import { BM25Search } from './bm25-search.ts';
import { DamagedIndexError } from '../shards/loaded-shard.ts';
import { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';
import type { SnapshotHandle } from '../snapshot/snapshot.ts';
import { FairScheduler } from './fair-scheduler.ts';
import { KeywordSearch } from './keyword-search.ts';
import { LateError } from '../match/evaluate.ts';
import type { Job, JobPart, JobResult } from '../match/job.ts';

export interface WorkerData {
  readonly part: ArenaRegion;
}

export type JobAnswer = { readonly result: JobResult } | { readonly failure: JobFailure };

export type JobFailure =
  | { readonly kind: 'limit' | 'late' | 'bug'; readonly message: string }
  /** The files of a shard are not what was written. */
  | { readonly kind: 'damage'; readonly shard: string };

/** Milliseconds of one time slice, which ends between two steps. */
const sliceMs = 1;

interface RunningJob {
  readonly job: Job;
  readonly run: KeywordSearch | BM25Search;
  readonly steps: Generator<void, JobResult>;
  readonly spend: Spend;
  /** Undefined once it is canceled. */
  readonly answer: PromiseWithResolvers<JobAnswer | undefined>;
}

const nothing: JobResult = { files: [], matchCount: 0, fileCount: 0 };

/** The calls that a search worker answers. */
export type WorkerCalls = Pick<SearchWorker, keyof SearchWorker>;

/** Runs searches in time slices: all callers have the same time. */
class SearchWorker {
  readonly #snapshots: AttachedSnapshots;
  readonly #scheduler = new FairScheduler<RunningJob>();
  #isScheduled = false;

  constructor({ part }: WorkerData) {
    this.#snapshots = new AttachedSnapshots(new Workspace(new Arena(part)));
  }

  add(snapshot: SnapshotHandle): void {
    this.#snapshots.add(snapshot);
  }

  forget(snapshot: number): void {
    this.#snapshots.forget(snapshot);
  }

  /** Undefined for a job that is canceled meanwhile. */
  run(job: Job, _isCanceled: IsCanceled, spend: Spend): Promise<JobAnswer | undefined> {
    const run = job.question ? new BM25Search(job, this.#snapshots) : new KeywordSearch(job, this.#snapshots);
    const answer = Promise.withResolvers<JobAnswer | undefined>();
    this.#scheduler.add(job.caller, { job, run, steps: run.run(), spend, answer });
    // Begins without a turn of the event loop, which would be most of the time of a short search.
    if (!this.#isScheduled) this.#runSlice();
    return answer.promise;
  }

  cancel(id: number): void {
    const running = this.#find(id);
    if (running) this.#end(running, undefined);
  }

  /** Gives a part of a job that is not begun to another worker. Undefined if the job has ended. */
  share(id: number): JobPart | undefined {
    return this.#find(id)?.run.share();
  }

  #find(id: number): RunningJob | undefined {
    return this.#scheduler.items.find(({ job }) => job.id === id);
  }

  #runSlice(): void {
    this.#isScheduled = false;
    const slice = this.#scheduler.next();
    if (!slice) return;
    const before = threadMilliseconds();
    const begun = performance.now();
    let spent = 0;
    while (spent < sliceMs && this.#advance(slice.item)) spent = performance.now() - begun;
    this.#scheduler.spend(slice, performance.now() - begun);
    slice.item.spend(threadMilliseconds() - before);
    if (this.#scheduler.isEmpty) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runSlice());
  }

  /** Runs one step; answers whether there are more. */
  #advance(running: RunningJob): boolean {
    const { job, steps } = running;
    try {
      const { done, value } = steps.next();
      if (!done && Date.now() > job.deadline) throw new LateError();
      if (!done) return true;
      this.#end(running, { result: value });
    } catch (error) {
      this.#end(running, { failure: failureOf(error) });
    }
    return false;
  }

  #end(running: RunningJob, answer: JobAnswer | undefined): void {
    this.#scheduler.remove(running.job.caller, running);
    running.steps.return(nothing);
    running.answer.resolve(answer);
  }
}

function failureOf(error: unknown): JobFailure {
  if (error instanceof DamagedIndexError) return { kind: 'damage', shard: error.shard };
  if (error instanceof LateError) return { kind: 'late', message: '' };
  if (error instanceof LimitError || error instanceof QueryError || error instanceof RangeError)
    return { kind: 'limit', message: error.message };
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

answerCalls<WorkerCalls>(new SearchWorker(workerData));
