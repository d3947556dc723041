import { FairQueue } from './fair-queue.ts';

/** Work of which one piece is done at a time, because each takes much memory: owners take turns. */
export class FairMutex {
  readonly #waiting = new FairQueue<() => void>();
  #isTaken = false;

  /** Throws what the signal is aborted with, also while it waits; work that has begun must listen to the signal itself. */
  async run<T>(owner: unknown, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    if (this.#isTaken) await this.#untilNext(owner, signal);
    this.#isTaken = true;
    try {
      signal.throwIfAborted();
      return await work();
    } finally {
      const next = this.#waiting.takeOwned();
      if (next) next();
      else this.#isTaken = false;
    }
  }

  async #untilNext(owner: unknown, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = (): void => {
      this.#waiting.remove(resolve, owner);
      // Whose turn has come already takes it, and passes it on.
      reject(signal.reason);
    };
    signal.addEventListener('abort', cancel, { once: true });
    this.#waiting.add(resolve, owner);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }
}
