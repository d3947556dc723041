import { extname } from 'node:path';
import type { TransferListItem } from 'node:worker_threads';
import { BoundedWorker } from '@sextant/library-workers';
import type { Answered, Asked, Calls } from './calls.ts';

/** Of a thread: more than any index needs that is built in memory. */
const heapMegabytes = 2048;

/** A call that failed in a thread; the name is that of the error there, or the system's code. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface ThreadClientOptions<C extends Calls<C>> {
  /** The thread's file, beside this one. */
  readonly file: string;
  /** It ends, and gives back its memory, when it was not asked for so long. */
  readonly idleSeconds: number;
  /** Tells a new thread what it must know. */
  readonly onStart?: (client: ThreadClient<C>) => void;
}

/** A thread that answers calls one after the other. It is started when it is first asked, and again after it failed or ended. */
export class ThreadClient<C extends Calls<C>> {
  readonly #options: ThreadClientOptions<C>;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: BoundedWorker | undefined;
  #lastId = 0;
  #works = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ThreadClientOptions<C>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  call<K extends keyof C & string>(
    name: K,
    argument: Parameters<C[K]>[0],
    transfer: readonly TransferListItem[] = [],
  ): Promise<ReturnType<C[K]>> {
    const worker = this.#worker ?? this.#start();
    clearTimeout(this.#idle);
    const waiting = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, waiting);
    const asked: Asked = { id: this.#lastId, name, argument };
    worker.postMessage(asked, transfer);
    // What comes out of a thread has lost its type.
    return waiting.promise as Promise<ReturnType<C[K]>>;
  }

  /** What the thread was told for this work stays: it does not end before the work does, however long nobody asks it. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#works += 1;
    clearTimeout(this.#idle);
    try {
      return await work();
    } finally {
      this.#works -= 1;
      this.#endLater();
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
  }

  #start(): BoundedWorker {
    const worker = new BoundedWorker(new URL(`./${this.#options.file}${extname(import.meta.url)}`, import.meta.url), {
      heapMegabytes,
    });
    worker.unref();
    worker.on('message', (answered: Answered) => this.#settle(answered));
    const fail = (error: unknown): void =>
      this.#fail(worker, error instanceof Error ? error : new Error(String(error)));
    worker.once('error', fail);
    worker.once('exit', () => fail(new Error('the thread of the index has ended')));
    this.#worker = worker;
    this.#options.onStart?.(this);
    return worker;
  }

  #settle({ id, answer, failure }: Answered): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure) waiting?.reject(new ThreadError(failure.reason, failure.message));
    else waiting?.resolve(answer);
    this.#endLater();
  }

  #endLater(): void {
    if (this.#waiting.size > 0 || this.#works > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#end(), this.#options.idleSeconds * 1000).unref();
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = undefined;
    void worker?.terminate();
  }

  #fail(worker: BoundedWorker, error: Error): void {
    // One that ended because nobody asked it may have a successor.
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
