import type { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  readonly start: () => Worker;
  /** What a thread must be told before anything else. */
  readonly known: () => Iterable<unknown>;
  readonly onAnswer: (answer: unknown) => void;
  /** What it has not answered yet, it will not. */
  readonly onFailure: (error: Error) => void;
}

/** A thread that is started when it is needed, also again after it failed. */
export class RestartableThread {
  readonly #options: ThreadOptions;
  #worker: Worker | undefined;

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /** Starts it where it does not run. */
  start(): Worker {
    if (this.#worker) return this.#worker;
    this.#worker = this.#started();
    for (const known of this.#options.known()) this.#worker.postMessage(known);
    return this.#worker;
  }

  tell(message: unknown): void {
    this.start().postMessage(message);
  }

  /** Tells it only while it runs: a new one learns what is known when it starts. Returns whether it does. */
  mention(message: unknown): boolean {
    this.#worker?.postMessage(message);
    return this.#worker !== undefined;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #started(): Worker {
    const worker = this.#options.start();
    worker.on('message', this.#options.onAnswer);
    const fail = (error: Error): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#options.onFailure(error);
    };
    worker.once('error', fail);
    worker.once('exit', () => fail(new Error('the thread has ended')));
    return worker;
  }
}
