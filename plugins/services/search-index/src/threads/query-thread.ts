import { parentPort, workerData } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { Arena, LimitError, QueryError, Workspace } from '@sextant/library-block-index';
import { AttachedView } from './attached-view.ts';
import { JobRun, LateError } from './job-run.ts';
import { WordsRun } from './words-run.ts';
import type { Job, JobResult, QueryAnswer, QueryRequest, QueryThreadData } from './protocol.ts';

interface Running {
  readonly job: Job;
  readonly steps: Generator<void, JobResult>;
}

/** Runs searches in small steps: callers in turn, and the searches of one caller in turn. */
class QueryThread {
  readonly #port: MessagePort;
  readonly #workspace: Workspace;
  readonly #views = new Map<number, AttachedView>();
  /** In the order of their turns. */
  readonly #callers = new Map<number, Running[]>();
  #isScheduled = false;

  constructor(port: MessagePort, { part }: QueryThreadData) {
    this.#port = port;
    this.#workspace = new Workspace(new Arena(part));
  }

  take(request: QueryRequest): void {
    switch (request.kind) {
      case 'view':
        this.#views.set(request.view.id, new AttachedView(this.#workspace, request.view));
        return;
      case 'forget':
        this.#views.delete(request.view);
        return;
      case 'cancel':
        this.#cancel(request.job);
        return;
      case 'run':
        this.#begin(request.job);
    }
  }

  #begin(job: Job): void {
    const run = job.question ? new WordsRun(job, this.#views) : new JobRun(job, this.#views);
    const running = { job, steps: run.run() };
    this.#callers.set(job.caller, [...(this.#callers.get(job.caller) ?? []), running]);
    if (this.#isScheduled) return;
    // At once: where nobody else waits, a turn of the event loop is most of a short search.
    this.#step();
  }

  #cancel(id: number): void {
    for (const [caller, all] of this.#callers)
      for (const { job, steps } of all)
        if (job.id === id) {
          steps.return({ files: [], matchCount: 0, fileCount: 0, limitHit: true });
          this.#end(caller, id);
        }
  }

  /** One step of the search whose turn it is. */
  #step(): void {
    this.#isScheduled = false;
    const [turn] = this.#callers;
    if (!turn) return;
    const [caller, [running, ...others]] = turn;
    this.#callers.delete(caller);
    if (running) {
      // To the end of its caller's turns, and its caller to the end of all.
      this.#callers.set(caller, [...others, running]);
      this.#advance(caller, running);
    }
    if (this.#callers.size === 0) return;
    this.#isScheduled = true;
    setImmediate(() => this.#step());
  }

  #advance(caller: number, { job, steps }: Running): void {
    try {
      const { done, value } = steps.next();
      if (!done && Date.now() > job.deadline) throw new LateError();
      if (done) this.#answer(caller, { job: job.id, result: value });
    } catch (error) {
      this.#answer(caller, { job: job.id, failure: failureOf(error) });
      steps.return({ files: [], matchCount: 0, fileCount: 0, limitHit: true });
    }
  }

  #answer(caller: number, answer: QueryAnswer): void {
    this.#end(caller, answer.job);
    this.#port.postMessage(answer);
  }

  #end(caller: number, id: number): void {
    const left = (this.#callers.get(caller) ?? []).filter(({ job }) => job.id !== id);
    if (left.length > 0) this.#callers.set(caller, left);
    else this.#callers.delete(caller);
  }
}

function failureOf(error: unknown): Extract<QueryAnswer, { failure: unknown }>['failure'] {
  if (error instanceof LateError) return { kind: 'late', message: '' };
  if (error instanceof LimitError || error instanceof QueryError || error instanceof RangeError)
    return { kind: 'limit', message: error.message };
  return { kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

if (!parentPort) throw new Error('this runs in a thread');
// What is given to a thread has lost its type.
const thread = new QueryThread(parentPort, workerData as QueryThreadData);
parentPort.on('message', (request: QueryRequest) => thread.take(request));
