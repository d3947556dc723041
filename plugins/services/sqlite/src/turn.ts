import { setImmediate as nextTurn } from 'node:timers/promises';

/** Longest time in milliseconds for which statements that wait for nothing follow each other. */
const longestTurnMs = 10;

/**
 * SQLite answers at once, so that a queue of statements would run to its end before anything else does: requests,
 * timers, signals. From time to time it has to let them.
 */
export class Turn {
  #begun: number | undefined;

  async share(): Promise<void> {
    if (this.#begun !== undefined && performance.now() - this.#begun > longestTurnMs) await nextTurn();
    if (this.#begun !== undefined) return;
    this.#begun = performance.now();
    setImmediate(() => (this.#begun = undefined));
  }
}
