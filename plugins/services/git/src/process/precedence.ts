import { unlessAborted } from '@sextant/core';

/** What comes first is mostly followed by more of it: so long it is waited for. */
const lingerMs = 500;

/** Lets work in the background begin only while nothing runs that comes first; what has begun goes on. */
export class Precedence {
  #running = 0;
  /** Resolves when nothing that comes first has run for a moment; undefined when that is so. */
  #quiet: PromiseWithResolvers<void> | undefined;
  #lingering: NodeJS.Timeout | undefined;

  async *first<T>(output: AsyncIterable<T>): AsyncGenerator<T, void, void> {
    this.#begin();
    try {
      yield* output;
    } finally {
      this.#leave();
    }
  }

  /** The work comes first until it has settled. */
  put(work: Promise<unknown>): void {
    this.#begin();
    const leave = (): void => this.#leave();
    work.then(leave, leave);
  }

  async *afterwards<T>(output: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, void, void> {
    await this.untilQuiet(signal);
    yield* output;
  }

  async untilQuiet(signal: AbortSignal): Promise<void> {
    while (this.#quiet) await unlessAborted(this.#quiet.promise, signal);
  }

  #begin(): void {
    clearTimeout(this.#lingering);
    this.#quiet ??= Promise.withResolvers<void>();
    this.#running += 1;
  }

  #leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#lingering = setTimeout(() => this.#end(), lingerMs).unref();
  }

  #end(): void {
    this.#quiet?.resolve();
    this.#quiet = undefined;
  }
}
