import { Worker } from 'node:worker_threads';
import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { ArenaPart } from '@sextant/library-block-index';
import { threadURL } from '../index/shared-index.ts';
import type { Job, JobResult, QueryAnswer, QueryRequest, ViewHandle } from '../threads/protocol.ts';
import { RestartableThread } from './restartable-thread.ts';

export type JobRequest = Omit<Job, 'id' | 'deadline'>;

/** Longest time of one search. */
const searchMs = 50_000;

interface Waiting extends PromiseWithResolvers<JobResult> {
  readonly thread: RestartableThread;
}

/** The threads that search. Each knows every view; a search is spread over them by its views. */
export class QueryThreads {
  readonly #threads: readonly RestartableThread[];
  readonly #views = new Map<number, ViewHandle>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #log: Logger;
  #lastJob = 0;
  #nextThread = 0;
  #end: Error | undefined;

  constructor(parts: readonly ArenaPart[], log: Logger) {
    this.#log = log;
    this.#threads = parts.map((part) => this.#threadWith(part));
  }

  add(view: ViewHandle): void {
    this.#views.set(view.id, view);
    this.#mention({ kind: 'view', view });
  }

  forget(view: number): void {
    this.#views.delete(view);
    this.#mention({ kind: 'forget', view });
  }

  /** Searches the views of a request; the parts of the answer are in no order. Throws `timeout`, `too_large`, `unavailable`. */
  async run(request: JobRequest, signal: AbortSignal): Promise<JobResult[]> {
    signal.throwIfAborted();
    if (this.#end) throw this.#end;
    const running = this.#share(request).map(({ thread, views }) => this.#start(thread, { ...request, views }));
    const cancel = (): void => {
      for (const { id, thread } of running) {
        this.#waiting.get(id)?.reject(signal.reason);
        this.#waiting.delete(id);
        thread.mention({ kind: 'cancel', job: id });
      }
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await Promise.all(running.map(({ result }) => result));
    } catch (error) {
      // What one part failed of, the others need not go on with.
      cancel();
      throw error;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async close(): Promise<void> {
    this.#end = new SextantError('unavailable', 'the server is stopping');
    for (const waiting of this.#waiting.values()) waiting.reject(this.#end);
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }

  #threadWith(part: ArenaPart): RestartableThread {
    const thread: RestartableThread = new RestartableThread({
      start: () => new Worker(threadURL('query-thread'), { workerData: { part } }),
      known: () => [...this.#views.values()].map((view) => ({ kind: 'view', view })),
      // What comes out of a thread has lost its type.
      onAnswer: (answer) => this.#settle(answer as QueryAnswer),
      onFailure: (error) => this.#failed(thread, error),
    });
    return thread;
  }

  /** Views are dealt out in turn, the first to the thread whose turn it is. */
  #share({ views, question }: JobRequest): { thread: RestartableThread; views: JobRequest['views'] }[] {
    this.#nextThread += 1;
    const count = this.#threads.length;
    // How rare a word is must be known over all views.
    const only = this.#threads[this.#nextThread % count];
    if (question && only) return [{ thread: only, views }];
    return this.#threads.flatMap((thread, index) => {
      const own = views.filter((_, view) => (view + this.#nextThread) % count === index);
      return own.length > 0 ? [{ thread, views: own }] : [];
    });
  }

  #start(
    thread: RestartableThread,
    request: JobRequest,
  ): { id: number; thread: RestartableThread; result: Promise<JobResult> } {
    this.#lastJob += 1;
    const id = this.#lastJob;
    const waiting = { ...Promise.withResolvers<JobResult>(), thread };
    // It may fail before anyone waits for it.
    waiting.promise.catch(() => undefined);
    this.#waiting.set(id, waiting);
    thread.tell({ kind: 'run', job: { ...request, id, deadline: Date.now() + searchMs } });
    return { id, thread, result: waiting.promise };
  }

  #settle(answer: QueryAnswer): void {
    const waiting = this.#waiting.get(answer.job);
    this.#waiting.delete(answer.job);
    if ('result' in answer) waiting?.resolve(answer.result);
    else waiting?.reject(errorOf(answer.failure));
  }

  /** The searches of a thread that failed fail with it; the others go on. */
  #failed(thread: RestartableThread, cause: Error): void {
    this.#log.error({ err: cause }, 'a thread that searches failed; it is started again when it is needed');
    const error = new SextantError('unavailable', 'the search was interrupted by a failure of the server; try again', {
      cause,
    });
    for (const [id, waiting] of this.#waiting) {
      if (waiting.thread !== thread) continue;
      this.#waiting.delete(id);
      waiting.reject(error);
    }
  }

  #mention(request: QueryRequest): void {
    for (const thread of this.#threads) thread.mention(request);
  }
}

function errorOf({ kind, message }: Extract<QueryAnswer, { failure: unknown }>['failure']): Error {
  if (kind === 'late')
    return new SextantError(
      'timeout',
      `the search took longer than ${searchMs / 1000} s; narrow it with repo: or file:`,
    );
  return kind === 'limit' ? new SextantError('too_large', message) : new Error(message);
}
