import { Worker } from 'node:worker_threads';
import { SextantError } from '@sextant/core';
import type { ArenaPart } from '@sextant/library-block-index';
import { threadURL } from '../index/shared-index.ts';
import type { Job, JobResult, QueryAnswer, QueryRequest, ViewHandle } from '../threads/protocol.ts';

export type JobRequest = Omit<Job, 'id' | 'deadline'>;

/** Longest time of one search. */
const searchMs = 50_000;

/** The threads that search. Each knows every view; a search is spread over them by its views. */
export class QueryThreads {
  readonly #workers: readonly Worker[];
  readonly #waiting = new Map<number, PromiseWithResolvers<JobResult>>();
  #lastJob = 0;
  #nextWorker = 0;
  #end: Error | undefined;

  constructor(parts: readonly ArenaPart[]) {
    this.#workers = parts.map((part) => new Worker(threadURL('query-thread'), { workerData: { part } }));
    for (const worker of this.#workers) {
      worker.on('message', (answer: QueryAnswer) => this.#settle(answer));
      worker.once('error', (error) => this.#fail(error));
    }
  }

  add(view: ViewHandle): void {
    this.#tellAll({ kind: 'view', view });
  }

  forget(view: number): void {
    this.#tellAll({ kind: 'forget', view });
  }

  /** Searches the views of a request; the parts of the answer are in no order. Throws `timeout`, `too_large`. */
  async run(request: JobRequest, signal: AbortSignal): Promise<JobResult[]> {
    signal.throwIfAborted();
    if (this.#end) throw this.#end;
    const shares = this.#share(request);
    const running = shares.map(({ worker, views }) => this.#start(worker, { ...request, views }));
    const cancel = (): void => {
      for (const { id, worker } of running) {
        this.#waiting.get(id)?.reject(signal.reason);
        this.#waiting.delete(id);
        tell(worker, { kind: 'cancel', job: id });
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
    this.#fail(new SextantError('unavailable', 'the server is stopping'));
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /** Views are dealt out in turn, the first to the thread whose turn it is. */
  #share({ views, question }: JobRequest): { worker: Worker; views: JobRequest['views'] }[] {
    this.#nextWorker += 1;
    // How rare a word is must be known over all views.
    const [only] = this.#workers.slice(this.#nextWorker % this.#workers.length);
    if (question && only) return [{ worker: only, views }];
    const count = this.#workers.length;
    return this.#workers.flatMap((worker, index) => {
      const own = views.filter((_, view) => (view + this.#nextWorker) % count === index);
      return own.length > 0 ? [{ worker, views: own }] : [];
    });
  }

  #start(worker: Worker, request: JobRequest): { id: number; worker: Worker; result: Promise<JobResult> } {
    this.#lastJob += 1;
    const id = this.#lastJob;
    const waiting = Promise.withResolvers<JobResult>();
    // It may fail before anyone waits for it.
    waiting.promise.catch(() => undefined);
    this.#waiting.set(id, waiting);
    tell(worker, { kind: 'run', job: { ...request, id, deadline: Date.now() + searchMs } });
    return { id, worker, result: waiting.promise };
  }

  #settle(answer: QueryAnswer): void {
    const waiting = this.#waiting.get(answer.job);
    this.#waiting.delete(answer.job);
    if ('result' in answer) waiting?.resolve(answer.result);
    else waiting?.reject(errorOf(answer.failure));
  }

  #fail(error: Error): void {
    this.#end = error;
    for (const waiting of this.#waiting.values()) waiting.reject(error);
    this.#waiting.clear();
  }

  #tellAll(request: QueryRequest): void {
    for (const worker of this.#workers) tell(worker, request);
  }
}

const tell = (worker: Worker, request: QueryRequest): void => worker.postMessage(request);

function errorOf({ kind, message }: Extract<QueryAnswer, { failure: unknown }>['failure']): Error {
  if (kind === 'late')
    return new SextantError(
      'timeout',
      `the search took longer than ${searchMs / 1000} s; narrow it with repo: or file:`,
    );
  return kind === 'limit' ? new SextantError('too_large', message) : new Error(message);
}
