import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time in milliseconds for which work that waits for nothing holds the event loop. */
const longestTurnMs = 10;

/**
 * Lets others have the event loop: work that never waits, a queue of statements of SQLite or a look at thousands of files, would
 * run to its end before anything else does: requests, timers, signals.
 */
export class Turn {
  readonly #longestMs: number;
  #begun: number | undefined;

  constructor(longestMs = longestTurnMs) {
    this.#longestMs = longestMs;
  }

  /** To be awaited between steps. Those who share one turn have its time together. */
  async share(): Promise<void> {
    while (this.#begun !== undefined && performance.now() - this.#begun > this.#longestMs) await nextTurn();
    if (this.#begun !== undefined) return;
    this.#begun = performance.now();
    setImmediate(() => (this.#begun = undefined));
  }
}
