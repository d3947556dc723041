import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { TransferListItem } from 'node:worker_threads';
import type { Answered, Asked, Calls } from './calls.ts';

/** A call that failed in a thread; the name is that of the error there, or the system's code. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** A thread that answers calls one after the other. It is started when it is first asked, and again after it failed. */
export class ThreadClient<C extends Calls<C>> {
  readonly #file: string;
  readonly #onStart: (client: ThreadClient<C>) => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #lastId = 0;

  /** `onStart` tells a new thread what it must know. */
  constructor(file: string, onStart: (client: ThreadClient<C>) => void = () => undefined) {
    this.#file = file;
    this.#onStart = onStart;
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
    const waiting = Promise.withResolvers<unknown>();
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, waiting);
    const asked: Asked = { id: this.#lastId, name, argument };
    worker.postMessage(asked, transfer);
    // What comes out of a thread has lost its type.
    return waiting.promise as Promise<ReturnType<C[K]>>;
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./${this.#file}${extname(import.meta.url)}`, import.meta.url));
    worker.unref();
    worker.on('message', (answered: Answered) => this.#settle(answered));
    worker.once('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    worker.once('exit', () => this.#fail(new Error('the thread of the index has ended')));
    this.#worker = worker;
    this.#onStart(this);
    return worker;
  }

  #settle({ id, answer, failure }: Answered): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (failure) waiting?.reject(new ThreadError(failure.reason, failure.message));
    else waiting?.resolve(answer);
  }

  #fail(error: Error): void {
    this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
