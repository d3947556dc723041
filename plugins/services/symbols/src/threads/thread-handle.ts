import { Worker } from 'node:worker_threads';
import type { ParseAnswer, ParseRequest } from './protocol.ts';

/** A text that was given to a thread, and who waits for what it defines and uses. */
export interface Waiting {
  readonly request: ParseRequest;
  readonly answer: PromiseWithResolvers<Uint8Array | undefined>;
}

/** Milliseconds. */
export interface Patience {
  /** For one text. */
  readonly hang: number;
  /** For the next one; what a thread has read stays in its memory. */
  readonly idle: number;
}

/** One thread and what it was given, which it answers in turn. It is ended by a text that breaks it or takes forever, and when nothing comes. */
export class ThreadHandle {
  readonly #worker = new Worker(new URL('./parse-thread.ts', import.meta.url));
  readonly #patience: Patience;
  readonly #onEnd: (handle: ThreadHandle, left: readonly Waiting[]) => void;
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** `onEnd` gets what the thread was given and did not begin. */
  constructor(patience: Patience, onEnd: (handle: ThreadHandle, left: readonly Waiting[]) => void) {
    this.#patience = patience;
    this.#onEnd = onEnd;
    this.#worker.on('message', (answer: ParseAnswer) => this.#settle(answer));
    this.#worker.once('error', () => this.#end());
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  give(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#waiting.length === 1) this.#watch(this.#patience.hang);
    this.#worker.postMessage(waiting.request);
  }

  async close(error: Error): Promise<void> {
    clearTimeout(this.#timer);
    for (const { answer } of this.#waiting.splice(0)) answer.reject(error);
    await this.#worker.terminate();
  }

  #settle(answered: ParseAnswer): void {
    const first = this.#waiting.shift();
    if (this.#waiting.length === 0) this.#watch(this.#patience.idle);
    else this.#timer?.refresh();
    if ('packed' in answered) first?.answer.resolve(answered.packed);
    else first?.answer.reject(new Error(answered.failure));
  }

  #watch(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), ms).unref();
  }

  /** The text that it was reading is given up. */
  #end(): void {
    clearTimeout(this.#timer);
    const [first, ...left] = this.#waiting.splice(0);
    this.#onEnd(this, left);
    first?.answer.resolve(undefined);
    void this.#worker.terminate();
  }
}
