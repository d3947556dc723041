import { Worker } from 'node:worker_threads';
import { SextantError } from '@sextant/core';
import type {
  FileQuery,
  FileSearch,
  FileToMatch,
  MatchRequest,
  MatchedFile,
  NamesAnswer,
  PathsAnswer,
} from './matching/protocol.ts';

const threadURL = new URL('./matching/match-thread.ts', import.meta.url);
const resourceLimits = { maxOldGenerationSizeMb: 512 };

/** Threads that match, one for a search at a time. A caller has at most half of them at once, so that others find one. */
export class MatchThreads {
  readonly #most: number;
  readonly #mostOfCaller: number;
  readonly #idle: Worker[] = [];
  /** By the id of the caller. */
  readonly #busy = new Map<Worker, number>();
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(most: number) {
    this.#most = most;
    this.#mostOfCaller = Math.ceil(most / 2);
  }

  /** Runs a search with a thread of its own, which ends with it when `signal` aborts. */
  async use<T>(caller: number, signal: AbortSignal, search: (thread: MatchThread) => Promise<T>): Promise<T> {
    const worker = await this.#take(caller, signal);
    const thread = new MatchThread(worker, signal);
    try {
      return await search(thread);
    } finally {
      this.#busy.delete(worker);
      if (thread.isUsable && !this.#isClosed) this.#idle.push(worker);
      else await worker.terminate();
      this.#wakeAll();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wakeAll();
    await Promise.all([...this.#idle.splice(0), ...this.#busy.keys()].map((worker) => worker.terminate()));
  }

  async #take(caller: number, signal: AbortSignal): Promise<Worker> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#isClosed) throw new SextantError('unavailable', 'the server is stopping');
      if (this.#hasRoom(caller)) break;
      await this.#untilOneEnds(signal);
    }
    const worker = this.#idle.pop() ?? new Worker(threadURL, { resourceLimits });
    this.#busy.set(worker, caller);
    return worker;
  }

  #hasRoom(caller: number): boolean {
    const own = [...this.#busy.values()].filter((other) => other === caller).length;
    return this.#busy.size < this.#most && own < this.#mostOfCaller;
  }

  /** Or until the signal aborts. */
  async #untilOneEnds(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake, { once: true });
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
  }

  #wakeAll(): void {
    for (const wake of this.#waiting) wake();
  }
}

/** A thread during one search. */
export class MatchThread {
  readonly #worker: Worker;
  readonly #signal: AbortSignal;
  /** False once it failed, or was left in the middle of its work. */
  isUsable = true;

  constructor(worker: Worker, signal: AbortSignal) {
    this.#worker = worker;
    this.#signal = signal;
  }

  names(sources: readonly string[], names: readonly string[]): Promise<NamesAnswer> {
    return this.#ask({ kind: 'names', sources, names });
  }

  paths(query: FileQuery, paths: readonly string[]): Promise<PathsAnswer> {
    return this.#ask({ kind: 'paths', query, paths });
  }

  files(search: FileSearch, files: readonly FileToMatch[]): Promise<readonly MatchedFile[]> {
    return this.#ask({ kind: 'files', search, files });
  }

  async #ask<T>(request: MatchRequest): Promise<T> {
    this.#signal.throwIfAborted();
    const answer = Promise.withResolvers<T>();
    const leave = (): void => answer.reject(this.#signal.reason);
    const fail = (): void => answer.reject(new SextantError('unavailable', 'the search has ended with the server'));
    this.#signal.addEventListener('abort', leave, { once: true });
    const failWith = (error: Error): void => answer.reject(failureOf(error));
    this.#worker.once('message', answer.resolve).once('error', failWith).once('exit', fail);
    this.isUsable = false;
    try {
      this.#worker.postMessage(request);
      const value = await answer.promise;
      this.isUsable = true;
      return value;
    } finally {
      this.#signal.removeEventListener('abort', leave);
      this.#worker.off('message', answer.resolve).off('error', failWith).off('exit', fail);
    }
  }
}

/** An expression can need more than an engine that tries one way after the other has. */
function failureOf(error: Error): Error {
  const isTooLarge =
    error instanceof SyntaxError ||
    error instanceof RangeError ||
    ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY');
  if (!isTooLarge) return error;
  return new SextantError('too_large', 'the search needs too much memory; use simpler expressions or fewer files', {
    cause: error,
  });
}
