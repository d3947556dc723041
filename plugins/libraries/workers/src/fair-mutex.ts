import { FairQueue } from '@sextant/core';

/** Runs one piece of work at a time, for work that takes much memory. Owners take turns. */
export class FairMutex {
  readonly #waiting = new FairQueue<() => void>();
  #isTaken = false;

  /** Throws the reason of the signal while it waits. Work that has begun must listen to the signal itself. */
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
      // Where its turn has come already, this does nothing: `run` takes the turn and passes it on.
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
