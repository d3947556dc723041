import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { Arena, LimitError, QueryError, Workspace } from '@sextant/library-block-index';
import { DamagedIndexError } from '../shards/loaded-shard.ts';
import { LateError } from './checkpoint.ts';
import { FairTurns } from './fair-turns.ts';
import { JobRun } from './job-run.ts';
import { packFiles } from '../show/pack.ts';
import type { Failure, Job, JobResult, QueryAnswer, QueryRequest, QueryThreadData } from './protocol.ts';
import { AttachedSnapshots } from '../snapshot/attached-snapshot.ts';
import { BM25Search } from '../rank/bm25-search.ts';

/** Milliseconds of one turn, when it ends between two steps. */
const turnMs = 1;

interface Running {
  readonly job: Job;
  readonly run: JobRun | BM25Search;
  readonly steps: Generator<void, JobResult>;
}

const nothing: JobResult = { files: [], matchCount: 0, fileCount: 0 };

/** Runs searches in turns of some milliseconds: each caller has as much time as another. */
class QueryThread {
  readonly #port: MessagePort;
  readonly #views: AttachedSnapshots;
  readonly #turns = new FairTurns<Running>();
  #isScheduled = false;

  constructor(port: MessagePort, { part }: QueryThreadData) {
    this.#port = port;
    this.#views = new AttachedSnapshots(new Workspace(new Arena(part)));
  }

  take(request: QueryRequest): void {
    switch (request.kind) {
      case 'view':
        this.#views.add(request.view);
        return;
      case 'forget':
        this.#views.forget(request.view);
        this.#answer({ forgotten: request.view });
        return;
      case 'cancel':
        this.#cancel(request.job);
        return;
      case 'share':
        this.#share(request.job);
        return;
      case 'rest':
        this.#rest(request.isResting);
        return;
      case 'run':
        this.#begin(request.job);
    }
  }

  #begin(job: Job): void {
    const run = job.question ? new BM25Search(job, this.#views) : new JobRun(job, this.#views);
    this.#turns.add(job.caller, { job, run, steps: run.run() });
    // At once: where nobody else waits, a turn of the event loop is most of a short search.
    if (!this.#isScheduled) this.#turn();
  }

  #rest(isResting: boolean): void {
    this.#turns.isResting = isResting;
    if (!this.#isScheduled) this.#turn();
  }

  #cancel(id: number): void {
    const running = this.#find(id);
    if (running) this.#end(running);
  }

  /** Gives away some of what is not begun of a search, which may be nothing. */
  #share(id: number): void {
    const run = this.#find(id)?.run;
    if (run) this.#answer({ job: id, shared: run.share() });
  }

  #find(id: number): Running | undefined {
    return this.#turns.items.find(({ job }) => job.id === id);
  }

  #turn(): void {
    this.#isScheduled = false;
    const turn = this.#turns.next();
    if (!turn) return;
    const begun = performance.now();
    let spent = 0;
    while (spent < turnMs && this.#advance(turn.item)) spent = performance.now() - begun;
    this.#turns.spend(turn, performance.now() - begun);
    if (this.#turns.isEmpty) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  /** One step; whether there are more. */
  #advance(running: Running): boolean {
    const { job, steps } = running;
    try {
      const { done, value } = steps.next();
      if (!done && Date.now() > job.deadline) throw new LateError();
      if (!done) return true;
      this.#end(running);
      this.#answer({ job: job.id, result: { ...value, files: packFiles(value.files) } });
    } catch (error) {
      this.#end(running);
      this.#answer({ job: job.id, failure: failureOf(error) });
    }
    return false;
  }

  #end(running: Running): void {
    this.#turns.remove(running.job.caller, running);
    running.steps.return(nothing);
  }

  #answer(answer: QueryAnswer): void {
    this.#port.postMessage(answer);
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof DamagedIndexError) return { kind: 'damage', shard: error.shard };
  if (error instanceof LateError) return { kind: 'late', message: '' };
  if (error instanceof LimitError || error instanceof QueryError || error instanceof RangeError)
    return { kind: 'limit', message: error.message };
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

if (!parentPort) throw new Error('this runs in a thread');
// What is given to a thread has lost its type.
const thread = new QueryThread(parentPort, workerData as QueryThreadData);
parentPort.on('message', (request: QueryRequest) => thread.take(request));
