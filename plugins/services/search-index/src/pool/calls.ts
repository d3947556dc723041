import type { MessagePort, TransferListItem, Worker } from 'node:worker_threads';

interface Numbered<T> {
  readonly id: number;
  readonly body: T;
}
type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly failure: { readonly reason: string; readonly stack: string } };

/** What went wrong in a thread. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
  /** The system's code (`ENOSPC`), else the name of the error there. */
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

/** Calls into a thread: each request is answered once, in any order. */
export class ThreadCalls<Request> {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown> & { readonly body: Request }>();
  #last = 0;
  #endedIn: Request | undefined;
  #end: Error | undefined;

  constructor(worker: Worker) {
    this.#worker = worker;
    worker.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('failure' in answer) waiting?.reject(new ThreadError(answer.failure.stack, answer.failure.reason));
      else waiting?.resolve(answer.value);
    });
    const end = (error: Error): void => {
      this.#end ??= error;
      const [running] = this.#waiting.values();
      this.#endedIn ??= running?.body;
      for (const waiting of this.#waiting.values()) waiting.reject(error);
      this.#waiting.clear();
    };
    worker.once('error', end);
    worker.once('exit', () => end(new Error('the thread of the index has ended')));
  }

  /** Whether the thread answers no more. */
  get haveEnded(): boolean {
    return this.#end !== undefined;
  }

  /** What a thread that answers one after the other worked at when it ended. */
  get endedIn(): Request | undefined {
    return this.#endedIn;
  }

  /** The types of answers are those of the thread's functions. */
  call<T>(body: Request, transfer: readonly TransferListItem[] = []): Promise<T> {
    if (this.#end) return Promise.reject(this.#end);
    this.#last += 1;
    const waiting = { ...Promise.withResolvers<unknown>(), body };
    this.#waiting.set(this.#last, waiting);
    const message: Numbered<Request> = { id: this.#last, body };
    this.#worker.postMessage(message, transfer);
    // What comes out of a thread has lost its type.
    return waiting.promise as Promise<T>;
  }
}

/** Answers calls one after the other. */
export function answerCalls<Request>(port: MessagePort, answer: (request: Request) => unknown): void {
  port.on('message', ({ id, body }: Numbered<Request>) => {
    try {
      port.postMessage({ id, value: answer(body) });
    } catch (error) {
      port.postMessage({ id, failure: failureOf(error) });
    }
  });
}

/** An error loses its class and its code on the way out of a thread. */
function failureOf(error: unknown): Extract<Answer, { failure: unknown }>['failure'] {
  if (!(error instanceof Error)) return { reason: 'unknown', stack: String(error) };
  const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return { reason, stack: error.stack ?? error.message };
}
