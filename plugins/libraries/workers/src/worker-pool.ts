import { FairQueue, currentMeter, metered } from '@sextant/core';
import type { ProcessorMeter } from '@sextant/core';
import type { PoolCalls } from './answer-calls.ts';
import { Thread, ThreadEndedError } from './thread.ts';
import type { ThreadOptions } from './thread.ts';

/** Requests that a thread has at once: one that it answers, and one ahead, so that it need not wait for the event loop. */
const requestsAtOnce = 2;

const defaults = { idleMs: 60_000, heapMegabytes: 512, heldBytes: 256 * 2 ** 20 };

export interface WorkerPoolOptions extends Omit<ThreadOptions, 'onEnd'> {
  readonly hangMs: number;
  /** Most threads. */
  readonly threads: number;
  /** Threads of these that may do background work; fewer than `threads`, so that callers need not wait for it. */
  readonly forBackground: number;
}

export interface RunOptions {
  /** Whose request it is; undefined for background work. Owners take turns. */
  readonly owner?: unknown;
  readonly signal?: AbortSignal | undefined;
}

interface Job<Q, A> extends RunOptions {
  readonly request: Q;
  readonly meter: ProcessorMeter | undefined;
  readonly answer: PromiseWithResolvers<A | undefined>;
}

interface PoolThread<Q, A> {
  readonly thread: Thread<PoolCalls<Q, A>>;
  /** Those that it has not done, canceled ones included. */
  readonly jobs: Set<Job<Q, A>>;
}

/** Threads that answer requests, started when there is work. */
export class WorkerPool<Q, A> {
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<PoolThread<Q, A>>();
  readonly #waiting = new FairQueue<Job<Q, A>>();
  #end: Error | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
  }

  /** Undefined for a request that takes too long or breaks its thread. Throws the reason of the signal. */
  async run(request: Q, options: RunOptions = {}): Promise<A | undefined> {
    const { owner, signal } = options;
    signal?.throwIfAborted();
    if (this.#end) throw this.#end;
    const job: Job<Q, A> = {
      ...options,
      request,
      meter: currentMeter(),
      answer: Promise.withResolvers(),
    };
    const cancel = (): void => {
      this.#waiting.remove(job, owner);
      job.answer.reject(signal?.reason);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    this.#waiting.add(job, owner);
    this.#give();
    try {
      return await job.answer.promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Requests without an answer, and later ones, fail with the reason. */
  async close(reason: Error): Promise<void> {
    this.#end = reason;
    for (const { answer } of this.#waiting.takeAll()) answer.reject(reason);
    await Promise.all([...this.#threads].map(({ thread }) => thread.close(reason)));
  }

  #give(): void {
    if (this.#end) return;
    this.#giveAll(
      () => this.#threadForCaller(),
      () => this.#waiting.takeOwned(),
    );
    this.#giveAll(
      () => this.#threadForBackground(),
      () => this.#waiting.takeBackground(),
    );
  }

  #giveAll(free: () => PoolThread<Q, A> | 'new' | undefined, take: () => Job<Q, A> | undefined): void {
    for (let thread = free(); thread; thread = free()) {
      const job = take();
      if (!job) return;
      void this.#run(job, thread === 'new' ? this.#start() : thread);
    }
  }

  async #run(job: Job<Q, A>, { thread, jobs }: PoolThread<Q, A>): Promise<void> {
    const { request, owner, signal, answer, meter } = job;
    const onDone = (): void => {
      jobs.delete(job);
      this.#give();
    };
    jobs.add(job);
    try {
      const call = (): Promise<A> => thread.call('answer', request, { signal, onDone });
      answer.resolve(await metered(meter, call));
    } catch (error) {
      jobs.delete(job);
      if (!(error instanceof ThreadEndedError)) answer.reject(error);
      else if (error.isBegun) answer.resolve(undefined);
      else if (!signal?.aborted) {
        this.#waiting.add(job, owner, true);
        this.#give();
      }
    }
  }

  /** Never one that has background work: nobody knows how long that takes. */
  #threadForCaller(): PoolThread<Q, A> | 'new' | undefined {
    const free = [...this.#threads].filter((thread) => !isFull(thread) && !isInBackground(thread));
    return this.#firstIdle(free) ?? free[0];
  }

  #threadForBackground(): PoolThread<Q, A> | 'new' | undefined {
    const busy = [...this.#threads].filter(isInBackground);
    const ahead = busy.find((thread) => !isFull(thread));
    return (busy.length < this.#options.forBackground && this.#firstIdle([...this.#threads])) || ahead;
  }

  #firstIdle(threads: readonly PoolThread<Q, A>[]): PoolThread<Q, A> | 'new' | undefined {
    const idle = threads.find(({ jobs }) => jobs.size === 0);
    return idle ?? (this.#threads.size < this.#options.threads ? 'new' : undefined);
  }

  #start(): PoolThread<Q, A> {
    const onEnd = (): void => void this.#threads.delete(started);
    const thread = new Thread<PoolCalls<Q, A>>({ ...defaults, ...this.#options, onEnd });
    const started: PoolThread<Q, A> = { thread, jobs: new Set() };
    this.#threads.add(started);
    return started;
  }
}

const isFull = ({ jobs }: { readonly jobs: ReadonlySet<RunOptions> }): boolean => jobs.size === requestsAtOnce;
const isInBackground = ({ jobs }: { readonly jobs: ReadonlySet<RunOptions> }): boolean =>
  [...jobs].some(({ owner }) => owner === undefined);
