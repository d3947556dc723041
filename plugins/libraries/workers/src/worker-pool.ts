import type { Transferable } from 'node:worker_threads';
import { FairQueue } from './fair-queue.ts';
import { WorkerThread } from './worker-thread.ts';
import type { Job, ThreadLimits } from './worker-thread.ts';

const defaults = { idleMs: 60_000, heapMegabytes: 512, heldBytes: 256 * 2 ** 20 };

export interface WorkerPoolOptions
  extends Pick<ThreadLimits, 'module' | 'hangMs'>,
    Partial<Omit<ThreadLimits, 'module' | 'hangMs'>> {
  /** Most threads. */
  readonly threads: number;
  /** Threads of these that may do background work; below `threads`, so that callers need not wait for it. */
  readonly forBackground: number;
}

export interface RunOptions {
  /** Whose request it is; undefined for background work. Owners take turns. */
  readonly owner?: unknown;
  readonly signal?: AbortSignal | undefined;
  readonly transfer?: readonly Transferable[];
}

/** Threads that answer requests, started when there is work. */
export class WorkerPool<Q, A> {
  readonly #options: WorkerPoolOptions;
  readonly #limits: ThreadLimits;
  readonly #threads = new Set<WorkerThread<Q, A>>();
  readonly #waiting = new FairQueue<Job<Q, A>>();
  #end: { readonly reason: unknown } | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    this.#limits = { ...defaults, ...options };
  }

  /** Undefined for a request that takes too long or breaks the thread. Throws what the signal is aborted with. */
  async run(request: Q, { owner, signal, transfer = [] }: RunOptions = {}): Promise<A | undefined> {
    signal?.throwIfAborted();
    if (this.#end) throw this.#end.reason;
    const job: Job<Q, A> = { request, transfer, owner, answer: Promise.withResolvers<A | undefined>() };
    const cancel = (): void => this.#cancel(job, signal?.reason);
    signal?.addEventListener('abort', cancel, { once: true });
    this.#waiting.add(job, owner);
    this.#give();
    try {
      return await job.answer.promise;
    } finally {
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** What waits, and what comes later, fails with an error. */
  async close(reason: unknown): Promise<void> {
    this.#end = { reason };
    for (const { answer } of this.#waiting.takeAll()) answer.reject(reason);
    await Promise.all([...this.#threads].map((thread) => thread.close(reason)));
  }

  #cancel(job: Job<Q, A>, reason: unknown): void {
    const isGiven = [...this.#threads].some((thread) => thread.cancel(job));
    if (!isGiven) this.#waiting.remove(job, job.owner);
    job.answer.reject(reason);
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

  #giveAll(free: () => WorkerThread<Q, A> | 'new' | undefined, take: () => Job<Q, A> | undefined): void {
    for (let thread = free(); thread; thread = free()) {
      const job = take();
      if (!job) return;
      const taker = thread === 'new' ? this.#start() : thread;
      try {
        taker.give(job);
      } catch (error) {
        job.answer.reject(error);
      }
    }
  }

  /** Never one that has background work: nobody knows how long that takes. */
  #threadForCaller(): WorkerThread<Q, A> | 'new' | undefined {
    const free = [...this.#threads].filter((thread) => !thread.isFull && !thread.isInBackground);
    const idle = free.find(({ count }) => count === 0);
    return idle ?? (this.#threads.size < this.#options.threads ? 'new' : free[0]);
  }

  #threadForBackground(): WorkerThread<Q, A> | 'new' | undefined {
    const all = [...this.#threads];
    const busy = all.filter(({ isInBackground }) => isInBackground);
    const ahead = busy.find(({ isFull }) => !isFull);
    if (busy.length >= this.#options.forBackground) return ahead;
    const idle = all.find(({ count }) => count === 0);
    return idle ?? (this.#threads.size < this.#options.threads ? 'new' : ahead);
  }

  #start(): WorkerThread<Q, A> {
    const thread: WorkerThread<Q, A> = new WorkerThread<Q, A>(this.#limits, {
      onFree: () => this.#give(),
      onEnd: (ended, left) => {
        this.#threads.delete(ended);
        for (const job of left.toReversed()) this.#waiting.add(job, job.owner, true);
        this.#give();
      },
    });
    this.#threads.add(thread);
    return thread;
  }
}
