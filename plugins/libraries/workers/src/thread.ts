import type { Transferable } from 'node:worker_threads';
import { currentMeter } from '@sextant/core';
import type { ProcessorMeter } from '@sextant/core';
import { ready } from './answer-calls.ts';
import type { AnswerMessage, AnswerOf, CallMessage, Calls } from './answer-calls.ts';
import { BoundedWorker } from './bounded-worker.ts';

/** Milliseconds in which a thread loads its module: long where the machine is busy. */
const startMs = 60_000;
/** Milliseconds in which a thread stops a canceled call; not all that it runs asks `isCanceled`. */
const stopMs = 2000;
/** More than any index needs that is built in memory. */
const defaultHeapMegabytes = 2048;

/** A call that failed in a thread. */
export class ThreadError extends Error {
  override readonly name: string = 'ThreadError';
  /** The system's code (`ENOSPC`), else the name of the error there. */
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** A call whose thread ended before it was answered. */
export class ThreadEndedError extends ThreadError {
  override readonly name = 'ThreadEndedError';
  /** Whether the thread worked at this call when it ended; the other calls had not begun. */
  readonly isBegun: boolean;

  constructor({ cause, isBegun }: { cause: Error; isBegun: boolean }) {
    super(isBegun && 'code' in cause ? String(cause.code) : 'ENDED', cause.message, cause);
    this.isBegun = isBegun;
  }
}

/** How and why a thread ended without being asked to. */
export interface ThreadEnd {
  readonly error: Error;
  /** The oldest call without an answer: that at which a thread worked that answers in turn. */
  readonly call: { readonly name: string; readonly argument: unknown } | undefined;
}

export interface ThreadOptions {
  readonly module: URL;
  /** Its `workerData`. */
  readonly data?: unknown;
  readonly env?: Record<string, string>;
  /** Milliseconds for one call of a thread that answers in turn. */
  readonly hangMs?: number;
  /** Milliseconds without a call. */
  readonly idleMs?: number;
  /** Megabytes of its heap: a call that needs more ends the thread. */
  readonly heapMegabytes?: number;
  /** Bytes outside of its heap: a thread that holds more is ended after its answer (WebAssembly memory never shrinks). */
  readonly heldBytes?: number;
  /** Told when it ends, unless by `close`; before its calls fail. */
  readonly onEnd?: (end: ThreadEnd) => void;
}

export interface CallOptions {
  readonly transfer?: readonly Transferable[];
  /** Rejects the call at once and tells the thread, which may go on for a while. */
  readonly signal?: AbortSignal | undefined;
  /** Told when the thread is done with the call: for a canceled one, later than the caller. */
  readonly onDone?: (() => void) | undefined;
}

interface Call {
  readonly name: string;
  readonly argument: unknown;
  readonly answer: PromiseWithResolvers<unknown>;
  readonly onDone: (() => void) | undefined;
  readonly meter: ProcessorMeter | undefined;
}

/** A thread whose functions can be called. It ends when a limit is exceeded, and is not started again. */
export class Thread<C extends Calls<C>> {
  readonly #options: ThreadOptions;
  readonly #worker: BoundedWorker;
  /** By number, the oldest first. */
  readonly #calls = new Map<number, Call>();
  #lastCall = 0;
  #works = 0;
  #isReady = false;
  /** When the first call became the first. */
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #end: Error | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
    const { module, data, env, heapMegabytes = defaultHeapMegabytes } = options;
    this.#worker = new BoundedWorker(module, { workerData: data, heapMegabytes, ...(env && { env }) });
    this.#worker.on('message', (message: AnswerMessage | typeof ready) => {
      if (message === ready) this.#begin();
      else this.#settle(message);
    });
    this.#worker.once('error', (error) => this.#fail(error instanceof Error ? error : new Error(String(error))));
    this.#worker.once('exit', () => this.#fail(new Error('the thread has ended')));
    this.#worker.unref();
    this.#watch();
  }

  get hasEnded(): boolean {
    return this.#end !== undefined;
  }

  /** Throws ThreadError, ThreadEndedError, the reason of `close` or of the signal, and DataCloneError. */
  async call<K extends keyof C & string>(
    name: K,
    argument: Parameters<C[K]>[0],
    { transfer = [], signal, onDone }: CallOptions = {},
  ): Promise<AnswerOf<C[K]>> {
    signal?.throwIfAborted();
    if (this.#end) throw this.#end;
    const id = (this.#lastCall += 1);
    const canceled = signal && new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const message: CallMessage = { id, name, argument, canceled };
    this.#worker.postMessage(message, transfer);
    const answer = Promise.withResolvers<unknown>();
    const cancel = (): void => {
      if (canceled) Atomics.store(canceled, 0, 1);
      if (this.#isFirst(id) && this.#isReady) this.#endAfter(Math.min(stopMs, this.#options.hangMs ?? Infinity));
      answer.reject(signal?.reason);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    const done = (): void => {
      signal?.removeEventListener('abort', cancel);
      onDone?.();
    };
    this.#calls.set(id, { name, argument, answer, onDone: done, meter: currentMeter() });
    if (this.#calls.size === 1) this.#begun();
    // Messages have no types; the thread answers what its functions return.
    return answer.promise as Promise<AnswerOf<C[K]>>;
  }

  /** Keeps the thread, and what it was told, until the work has ended, however long it is not called. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#works += 1;
    this.#watch();
    try {
      return await work();
    } finally {
      this.#works -= 1;
      this.#watch();
    }
  }

  /** Calls without an answer fail with the reason. */
  async close(reason = new Error('the thread has ended')): Promise<void> {
    this.#finish(reason, () => reason);
    await this.#worker.terminate();
  }

  #isFirst(id: number): boolean {
    const [first] = this.#calls.keys();
    return first === id;
  }

  /** Its first call after none. */
  #begun(): void {
    this.#worker.ref();
    this.#watch();
  }

  #begin(): void {
    this.#isReady = true;
    this.#watch();
  }

  #settle({ id, answer, failure, heldBytes, spent }: AnswerMessage): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#calls.delete(id);
    call.meter?.add(spent);
    if (failure) call.answer.reject(new ThreadError(failure.code, failure.stack));
    else call.answer.resolve(answer);
    if (this.#calls.size === 0) this.#worker.unref();
    if (heldBytes > (this.#options.heldBytes ?? Infinity))
      this.#fail(new Error('the thread held too much memory'), false);
    else this.#watch();
    call.onDone?.();
  }

  /** Ends the thread when its first call, or its time without one, takes too long. */
  #watch(): void {
    const { hangMs, idleMs } = this.#options;
    this.#since = performance.now();
    if (this.#calls.size > 0) this.#endAfter(this.#isReady || hangMs === undefined ? hangMs : startMs);
    else this.#endAfter(this.#works > 0 ? undefined : idleMs);
  }

  #endAfter(ms: number | undefined): void {
    clearTimeout(this.#timer);
    if (ms === undefined || ms === Infinity || this.#end) return;
    this.#timer = setTimeout(() => this.#late(), ms).unref();
  }

  #late(): void {
    const [first] = this.#calls.values();
    // It can no longer tell what it had.
    if (this.#isReady) first?.meter?.add(performance.now() - this.#since);
    this.#fail(new Error('the thread took too long, or had nothing to do'));
  }

  /** `isAtCall`: its first call is to blame. */
  #fail(error: Error, isAtCall = true): void {
    if (this.#end) return;
    const [first] = this.#calls.values();
    this.#options.onEnd?.({ error, call: isAtCall ? first : undefined });
    this.#finish(
      new ThreadEndedError({ cause: error, isBegun: false }),
      (call) => new ThreadEndedError({ cause: error, isBegun: isAtCall && call === first }),
    );
    void this.#worker.terminate();
  }

  #finish(end: Error, errorOf: (call: Call) => Error): void {
    this.#end ??= end;
    clearTimeout(this.#timer);
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) {
      call.answer.reject(errorOf(call));
      call.onDone?.();
    }
  }
}

export interface RestartableThreadOptions<C extends Calls<C>> extends ThreadOptions {
  /** Tells a new thread what it must know before it is called. */
  readonly onStart?: (thread: RestartableThread<C>) => void;
}

/** A thread that is started when it is first called, and again after it ended. */
export class RestartableThread<C extends Calls<C>> {
  readonly #options: RestartableThreadOptions<C>;
  #thread: Thread<C> | undefined;

  constructor(options: RestartableThreadOptions<C>) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#thread !== undefined && !this.#thread.hasEnded;
  }

  /** Starts it ahead of its first call. */
  start(): void {
    this.#running();
  }

  /** See `Thread.call`. */
  call<K extends keyof C & string>(
    name: K,
    argument: Parameters<C[K]>[0],
    options?: CallOptions,
  ): Promise<AnswerOf<C[K]>> {
    return this.#running().call(name, argument, options);
  }

  /** Calls it only while it runs; a thread that is started later learns it from `onStart`. Resolves too where the thread ends. */
  async mention<K extends keyof C & string>(name: K, argument: Parameters<C[K]>[0]): Promise<void> {
    if (this.isRunning) await this.#thread?.call(name, argument).catch(() => undefined);
  }

  /** See `Thread.during`. */
  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#running().during(work);
  }

  async close(reason?: Error): Promise<void> {
    await this.#thread?.close(reason);
  }

  #running(): Thread<C> {
    if (this.#thread && !this.#thread.hasEnded) return this.#thread;
    this.#thread = new Thread(this.#options);
    this.#options.onStart?.(this);
    return this.#thread;
  }
}
