import { setImmediate as nextTurn } from 'node:timers/promises';
import { FairQueue } from './fair-queue.ts';

/** Milliseconds for which work may hold the event loop. */
const longestTurnMs = 10;
/** Steps without an owner share one turn, too. */
const nobody = Symbol('nobody');

/**
 * Keeps work that never waits, such as a loop over thousands of files, from blocking the event loop. Await `share` between its
 * steps: requests, timers and signals run in between.
 */
export class Turn {
  readonly #longestMs: number;
  /** Wakes those who wait. */
  readonly #waiting = new FairQueue<() => void>();
  #begun: number | undefined;
  #isServing = false;

  constructor(longestMs = longestTurnMs) {
    this.#longestMs = longestMs;
  }

  /** All who share one turn share its time. Owners take turns: a thousand steps of one delay another by a single step. */
  share(owner?: unknown): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve, owner ?? nobody);
    if (!this.#isServing) void this.#serve();
    return promise;
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (!this.#waiting.isEmpty) {
      // The last one that was woken takes its step first: its time counts before the next is woken.
      await Promise.resolve();
      while (this.#begun !== undefined && performance.now() - this.#begun > this.#longestMs) await nextTurn();
      if (this.#begun === undefined) this.#begin();
      this.#waiting.takeOwned()?.();
    }
    this.#isServing = false;
  }

  #begin(): void {
    this.#begun = performance.now();
    setImmediate(() => (this.#begun = undefined));
  }
}
