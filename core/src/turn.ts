import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time in milliseconds for which work that waits for nothing holds the event loop. */
const longestTurnMs = 10;

/**
 * Lets others have the event loop: work that never waits, a queue of statements of SQLite or a look at thousands of files, would
 * run to its end before anything else does: requests, timers, signals.
 */
export class Turn {
  readonly #longestMs: number;
  /** What wakes those who wait, by owner. */
  readonly #waiting = new Map<unknown, (() => void)[]>();
  #begun: number | undefined;
  #isServing = false;

  constructor(longestMs = longestTurnMs) {
    this.#longestMs = longestMs;
  }

  /**
   * To be awaited between steps. Those who share one turn have its time together. Owners take turns: who has a thousand steps delays
   * another by one of them.
   */
  share(owner?: unknown): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const own = this.#waiting.get(owner);
    if (own) own.push(resolve);
    else this.#waiting.set(owner, [resolve]);
    if (!this.#isServing) void this.#serve();
    return promise;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#waiting.size > 0) {
      // The step of the one before comes first: who begin to wait at once must not all begin before the first has used the time.
      await Promise.resolve();
      while (this.#begun !== undefined && performance.now() - this.#begun > this.#longestMs) await nextTurn();
      if (this.#begun === undefined) this.#begin();
      this.#wakeNext();
    }
    this.#isServing = false;
  }

  #begin(): void {
    this.#begun = performance.now();
    setImmediate(() => (this.#begun = undefined));
  }

  #wakeNext(): void {
    for (const [owner, own] of this.#waiting) {
      const wake = own.shift();
      this.#waiting.delete(owner);
      if (own.length > 0) this.#waiting.set(owner, own);
      return wake?.();
    }
  }
}
