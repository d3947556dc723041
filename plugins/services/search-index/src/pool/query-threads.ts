import { Worker } from 'node:worker_threads';
import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { ArenaRegion } from '@sextant/library-block-index';
import { canBeDefined } from '@sextant/library-search-results';
import type { DividedMemory } from '../shards/divided-memory.ts';
import { threadURL } from './thread-url.ts';
import { smallAnswerFiles } from '../rank/weights.ts';
import { unpackFiles } from '../show/pack.ts';
import type { Job, JobResult, JobPart, QueryAnswer, QueryRequest } from './protocol.ts';
import type { SnapshotHandle } from '../snapshot/snapshot.ts';
import { errorOf, searchMs } from './failed-search.ts';
import { ForgottenViews } from './forgotten-views.ts';
import { beginJob } from './job-request.ts';
import type { JobRequest } from './job-request.ts';
import { QuickSearches } from './quick-searches.ts';
import { RecentSearches } from './recent-searches.ts';
import { RestartableThread } from './restartable-thread.ts';
import { RestingThread } from './resting-thread.ts';
import { RunningJobs } from './running-jobs.ts';
import type { RunningJob } from './running-jobs.ts';
import { RunningSearch } from './running-search.ts';
import { sharesOf } from './shares.ts';

/** A search that takes longer than this, in milliseconds, is helped with by threads that have nothing to do: to begin there takes about as long, and half the time more of both. */
const aloneMs = 8;
/** What may have to look at so many blocks begins on every thread that is free. */
const manyBlocks = 4096;
/** Searches that take longer than this keep a caller's others from the other threads. */
const longMs = 20;

/** Matches have memory of their own, and answers leave as one text: what is left to collect needs less than a thread has otherwise. */
const maxYoungGenerationSizeMb = 32;

/** The threads that search. Each knows every view; a search has one of them for itself, and more when it takes long and they are free. */
export class QueryThreads {
  readonly #threads: readonly RestartableThread[];
  readonly #quick: QuickSearches;
  readonly #views = new Map<number, SnapshotHandle>();
  readonly #forgotten = new ForgottenViews<RestartableThread>();
  readonly #running = new RunningJobs();
  readonly #resting: RestingThread;
  readonly #recent = new RecentSearches();
  readonly #log: Logger;
  #lastJob = 0;
  #end: Error | undefined;

  constructor({ main, threads }: Pick<DividedMemory, 'main' | 'threads'>, log: Logger) {
    this.#log = log;
    this.#quick = new QuickSearches(main);
    this.#threads = threads.map((part) => this.#threadWith(part));
    this.#resting = new RestingThread(this.#threads, this.#running);
  }

  /** Before the first search, which need not wait for it then. */
  start(): void {
    for (const thread of this.#threads) thread.start();
  }

  add(view: SnapshotHandle): void {
    this.#views.set(view.id, view);
    this.#quick.add(view);
    this.#mention({ kind: 'view', view });
  }

  /** Resolves when no thread looks at it any more: steps of searches that nobody waits for are over. */
  async forget(view: number): Promise<void> {
    this.#views.delete(view);
    this.#quick.forget(view);
    const told = this.#threads.filter((thread) => thread.mention({ kind: 'forget', view }));
    await Promise.all(told.map((thread) => this.#forgotten.by(thread, view)));
  }

  /** Searches the views of a request; the parts of the answer are in no order. Throws `timeout`, `too_large`, `unavailable`, DamagedIndexError. */
  async run(request: JobRequest, signal: AbortSignal): Promise<JobResult[]> {
    this.#throwIfOver(signal);
    this.#resting.begin(request.caller);
    const isAlone = this.#running.size === 0 && !this.#recent.wereTogether(performance.now());
    const { result, left, blocks = [] } = await this.#quick.run(request, { isAlone, signal });
    if (result) return [result];
    this.#throwIfOver(signal);
    const search = new RunningSearch();
    this.#recent.begin(request.caller, { now: performance.now(), isTogether: this.#running.size > 0 });
    this.#startShares(search, beginJob(left, searchMs), blocks);
    if (request.question) this.#help();
    const cancel = (): void => search.fail(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    const help = setInterval(() => this.#help(), aloneMs);
    try {
      return await search.results;
    } finally {
      clearInterval(help);
      signal.removeEventListener('abort', cancel);
      // What one part failed of, the others need not go on with.
      this.#stop(search);
    }
  }

  async close(): Promise<void> {
    this.#end = new SextantError('unavailable', 'the server is stopping');
    this.#resting.close();
    for (const { search } of this.#running) search.fail(this.#end);
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #throwIfOver(signal: AbortSignal): void {
    signal.throwIfAborted();
    if (this.#end) throw this.#end;
  }

  #threadWith(part: ArenaRegion): RestartableThread {
    const thread: RestartableThread = new RestartableThread({
      start: () =>
        new Worker(threadURL('pool/query-thread'), {
          workerData: { part },
          resourceLimits: { maxYoungGenerationSizeMb },
        }),
      known: () => [...this.#views.values()].map((view) => ({ kind: 'view', view })),
      // What comes out of a thread has lost its type.
      onAnswer: (answer) => this.#take(answer as QueryAnswer, thread),
      onFailure: (error) => this.#failed(thread, error),
    });
    return thread;
  }

  #startShares(search: RunningSearch, job: Omit<Job, 'id'>, blocks: readonly number[]): void {
    const threads = this.#threadsFor(job, blocks);
    const shares = sharesOf(job.views, blocks, threads.length);
    for (const [at, thread] of threads.entries()) {
      const views = shares[at];
      if (views) this.#start(search, thread, { ...job, views });
    }
  }

  #start(search: RunningSearch, thread: RestartableThread, request: Omit<Job, 'id'>): void {
    this.#lastJob += 1;
    const job = { ...request, id: this.#lastJob };
    search.addPart();
    this.#running.add({ job, thread, search, begun: performance.now(), isAsked: false, isIndivisible: false });
    thread.tell({ kind: 'run', job });
  }

  #take(answer: QueryAnswer, thread: RestartableThread): void {
    if ('forgotten' in answer) {
      this.#forgotten.take(thread, answer.forgotten);
      return;
    }
    const running = this.#running.find(answer.job);
    if (!running) return;
    if ('shared' in answer) {
      this.#startShared(running, answer.shared);
      return;
    }
    this.#remove(running);
    if ('result' in answer) running.search.finishPart({ ...answer.result, files: unpackFiles(answer.result.files) });
    else running.search.fail(errorOf(answer.failure));
    this.#help();
  }

  #startShared(running: RunningJob, part: JobPart): void {
    const { id: _, ...request } = running.job;
    running.isAsked = false;
    if (part.views.length > 0) this.#start(running.search, this.#leastBusy(), { ...request, ...part });
    else running.isIndivisible = true;
    this.#help();
  }

  /** Asks for work of the search that takes longest, for a thread that has nothing to do; while others search it stays free for theirs. */
  #help(): void {
    if (this.#running.countOf(this.#leastBusy()) > 0) return;
    const now = performance.now();
    const long = [...this.#running].find(
      ({ begun, isAsked, isIndivisible, job }) =>
        // A question takes long for sure.
        (job.question || now - begun >= aloneMs) &&
        !isAsked &&
        !isIndivisible &&
        !this.#recent.areOthersThan(job.caller, now),
    );
    if (!long) return;
    long.isAsked = true;
    long.thread.mention({ kind: 'share', job: long.job.id });
  }

  /** Of what is known to take long all that have nothing to do: a list of all, and while searches come one after the other each of them. */
  #threadsFor(job: Pick<Job, 'caller' | 'limits' | 'terms'>, blocks: readonly number[]): RestartableThread[] {
    const { caller, limits } = job;
    // All files of a large answer are shown, which takes as long as to find them.
    const isMuch = blocks.reduce((sum, each) => sum + each, 0) >= manyBlocks && !areFirstBest(job);
    const isLong = limits.files > smallAnswerFiles || (isMuch && !this.#recent.wereTogether(performance.now()));
    const isShared = isLong && !this.#recent.areOthersThan(caller, performance.now());
    const free = isShared ? this.#threads.filter((thread) => this.#running.countOf(thread) === 0) : [];
    return free.length > 0 ? free : [this.#threadFor(caller)];
  }

  /** While others search, those of a caller that take long stay together, so that the others have threads without them. */
  #threadFor(caller: number): RestartableThread {
    const long = this.#running.over(longMs).find(({ job }) => job.caller === caller);
    if (long && this.#recent.areOthersThan(caller, performance.now())) return long.thread;
    return this.#resting.thread ?? this.#leastBusy();
  }

  #leastBusy(): RestartableThread {
    const [first, ...others] = this.#threads;
    if (!first) throw new Error('there is no thread that searches');
    return others.reduce(
      (best, thread) => (this.#running.countOf(thread) < this.#running.countOf(best) ? thread : best),
      first,
    );
  }

  /** Ends what still runs of a search. */
  #stop(search: RunningSearch): void {
    for (const running of this.#running.of(search)) {
      running.thread.mention({ kind: 'cancel', job: running.job.id });
      this.#remove(running);
    }
  }

  #remove(running: RunningJob): void {
    this.#running.remove(running.job.id);
    this.#resting.end(running);
  }

  /** The searches of a thread that failed fail with it; the others go on. */
  #failed(thread: RestartableThread, cause: Error): void {
    this.#log.error({ err: cause }, 'a thread that searches failed; it is started again when it is needed');
    const error = new SextantError('unavailable', 'the search was interrupted by a failure of the server; try again', {
      cause,
    });
    for (const running of this.#running) if (running.thread === thread) running.search.fail(error);
    this.#forgotten.failed(thread);
  }

  #mention(request: QueryRequest): void {
    for (const thread of this.#threads) thread.mention(request);
  }
}

/** Whether many files are worth as much as any can be: then the first repositories have the best, and a thread that begins with others finds none. */
const areFirstBest = ({ terms, limits }: Pick<Job, 'terms' | 'limits'>): boolean =>
  limits.files <= smallAnswerFiles &&
  terms.length === 1 &&
  terms.every((term) => 'literal' in term && !canBeDefined(String(term.literal)));
