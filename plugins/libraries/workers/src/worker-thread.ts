import type { Transferable } from 'node:worker_threads';
import { BoundedWorker } from './bounded-worker.ts';
import { ready, slots } from './protocol.ts';
import type { Posted, Reply, ThreadData } from './protocol.ts';

/** Milliseconds in which a thread loads its module: long where the machine is busy. */
const startMs = 60_000;
/** Milliseconds in which a thread is to stop what is canceled; not all that it does asks. */
const stopMs = 2000;

/** A request, and who waits for its answer. */
export interface Job<Q, A> {
  readonly request: Q;
  readonly transfer: readonly Transferable[];
  readonly owner: unknown;
  readonly answer: PromiseWithResolvers<A | undefined>;
}

export interface ThreadLimits {
  readonly module: URL;
  /** Milliseconds for one request. */
  readonly hangMs: number;
  /** Milliseconds without one. */
  readonly idleMs: number;
  /** Of the heap; a request that needs more ends the thread. */
  readonly heapMegabytes: number;
  /** Of other memory; a thread that holds more is ended after its answer. */
  readonly heldBytes: number;
}

interface ThreadEvents<Q, A> {
  onFree(): void;
  /** With what the thread was given and did not begin. */
  onEnd(thread: WorkerThread<Q, A>, left: readonly Job<Q, A>[]): void;
}

/** One thread and what it was given, which it answers in turn. */
export class WorkerThread<Q, A> {
  readonly #canceled = new Int32Array(new SharedArrayBuffer(slots * Int32Array.BYTES_PER_ELEMENT));
  readonly #limits: ThreadLimits;
  readonly #events: ThreadEvents<Q, A>;
  readonly #worker: BoundedWorker;
  #jobs: { readonly job: Job<Q, A>; readonly slot: number }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isReady = false;

  constructor(limits: ThreadLimits, events: ThreadEvents<Q, A>) {
    this.#limits = limits;
    this.#events = events;
    const data: ThreadData = { canceled: this.#canceled };
    this.#worker = new BoundedWorker(limits.module, { workerData: data, heapMegabytes: limits.heapMegabytes });
    this.#worker.on('message', (message: Reply<A> | typeof ready) => {
      if (message === ready) this.#begin();
      else this.#settle(message);
    });
    this.#worker.once('error', () => this.#end());
    // As when its memory cannot grow.
    this.#worker.once('exit', () => this.#end());
  }

  get count(): number {
    return this.#jobs.length;
  }

  get isFull(): boolean {
    return this.#jobs.length === slots;
  }

  get isInBackground(): boolean {
    return this.#jobs.some(({ job }) => job.owner === undefined);
  }

  /** Throws for a request that cannot be sent. Ask `isFull` before. */
  give(job: Job<Q, A>): void {
    const slot = this.#jobs[0]?.slot === 0 ? 1 : 0;
    const posted: Posted<Q> = { request: job.request, slot };
    Atomics.store(this.#canceled, slot, 0);
    this.#worker.postMessage(posted, job.transfer);
    this.#jobs.push({ job, slot });
    if (this.#jobs.length === 1) this.#watch(this.#isReady ? this.#limits.hangMs : startMs);
  }

  /** Whether it was given the job, whose answer nobody waits for any more. */
  cancel(job: Job<Q, A>): boolean {
    const given = this.#jobs.find((one) => one.job === job);
    if (!given) return false;
    Atomics.store(this.#canceled, given.slot, 1);
    if (given === this.#jobs[0] && this.#isReady) this.#watch(Math.min(stopMs, this.#limits.hangMs));
    return true;
  }

  async close(error: unknown): Promise<void> {
    clearTimeout(this.#timer);
    this.#worker.removeAllListeners('exit');
    for (const { job } of this.#jobs.splice(0)) job.answer.reject(error);
    await this.#worker.terminate();
  }

  #begin(): void {
    this.#isReady = true;
    if (this.#jobs.length > 0) this.#watch(this.#limits.hangMs);
  }

  #settle({ answer, heldBytes }: Reply<A>): void {
    this.#jobs.shift()?.job.answer.resolve(answer);
    if (heldBytes > this.#limits.heldBytes) return this.#retire();
    this.#watch(this.#jobs.length === 0 ? this.#limits.idleMs : this.#limits.hangMs);
    this.#events.onFree();
  }

  #watch(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), ms).unref();
  }

  /** The request that it was answering is given up. */
  #end(): void {
    const [first, ...left] = this.#jobs;
    this.#jobs = left;
    first?.job.answer.resolve(undefined);
    this.#retire();
  }

  #retire(): void {
    clearTimeout(this.#timer);
    this.#worker.removeAllListeners('exit').removeAllListeners('message');
    const left = this.#jobs.splice(0).map(({ job }) => job);
    this.#events.onEnd(this, left);
    void this.#worker.terminate();
  }
}
