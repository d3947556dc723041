import { lstatSync, readdirSync } from 'node:fs';
import type { FanOutTimes } from './storage.ts';

/** What changed within one step of the file system's clock can change again unseen, in milliseconds. */
const tickMs = 20;

/**
 * The folders of loose objects of a repository since it was looked at. Objects come into them all the time, so a change
 * is no reason to look at the whole repository again: a link, a named pipe or a device is.
 */
export class FanOuts {
  readonly #times: Map<string, number>;

  constructor(times: FanOutTimes) {
    this.#times = new Map(times);
  }

  /** Whether nothing but files has come into them. What came into one that changes just now is found at the next look. */
  haveFilesOnly(): boolean {
    return [...this.#times].every(([folder, known]) => {
      const changedAt = lstatSync(folder, { throwIfNoEntry: false })?.ctimeMs;
      if (changedAt === undefined || changedAt === known) return true;
      if (!readdirSync(folder, { withFileTypes: true }).every((entry) => entry.isFile())) return false;
      if (changedAt + tickMs < Date.now()) this.#times.set(folder, changedAt);
      return true;
    });
  }
}
