import type { GitStore } from '@sextant/contracts';
import type { Logger } from '@sextant/core';
import type { PastCommits } from './past-commits.ts';

type Store = Pick<GitStore, 'list' | 'untilQuiet'>;
type Past = Pick<PastCommits, 'before' | 'isFull'>;

/** Reads the past of the default branches in the background, one after the other, so that the first task need not wait. */
export class WarmUp {
  readonly #store: Store;
  readonly #pastCommits: Past;
  readonly #log: Logger;
  readonly #ending = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor({ store, pastCommits, log }: { store: Store; pastCommits: Past; log: Logger }) {
    this.#store = store;
    this.#pastCommits = pastCommits;
    this.#log = log;
  }

  start(): void {
    this.#running = this.#readAll();
  }

  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running;
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#ending;
    for (const repository of await this.#store.list()) {
      if (signal.aborted || this.#pastCommits.isFull) return;
      try {
        await this.#store.untilQuiet(signal);
        const head = await repository.head(signal);
        if (head !== undefined) await this.#pastCommits.before(repository.name, head, signal);
      } catch (error) {
        // Whoever asks about it later is told.
        if (!signal.aborted) this.#log.debug({ err: error }, 'the past of a repository was not read');
      }
    }
  }
}
