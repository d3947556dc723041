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

/** Threads that match, one for a search at a time. */
export class MatchThreads {
  readonly #most: number;
  readonly #idle: Worker[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #busy = new Set<Worker>();
  #isClosed = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** Runs a search with a thread of its own, which ends with it when `signal` aborts. */
  async use<T>(signal: AbortSignal, search: (thread: MatchThread) => Promise<T>): Promise<T> {
    const worker = await this.#take(signal);
    const thread = new MatchThread(worker, signal);
    try {
      return await search(thread);
    } finally {
      this.#busy.delete(worker);
      if (thread.isUsable && !this.#isClosed) this.#idle.push(worker);
      else await worker.terminate();
      this.#waiting.shift()?.();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#idle.splice(0), ...this.#busy].map((worker) => worker.terminate()));
  }

  async #take(signal: AbortSignal): Promise<Worker> {
    while (this.#busy.size >= this.#most) await this.#wait(signal);
    if (signal.aborted) {
      // Whoever is next gets the turn that this one does not take.
      this.#waiting.shift()?.();
      throw signal.reason;
    }
    if (this.#isClosed) throw new SextantError('unavailable', 'the server is stopping');
    const worker = this.#idle.pop() ?? new Worker(threadURL, { resourceLimits });
    this.#busy.add(worker);
    return worker;
  }

  async #wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new SextantError('unavailable', 'the server is stopping');
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn.resolve);
    const leave = (): void => {
      const place = this.#waiting.indexOf(turn.resolve);
      if (place >= 0) this.#waiting.splice(place, 1);
      turn.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
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
