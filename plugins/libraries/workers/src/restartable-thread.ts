import type { AnswerOf, Calls } from './answer-calls.ts';
import { Thread } from './thread.ts';
import type { CallOptions, ThreadOptions } from './thread.ts';

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
