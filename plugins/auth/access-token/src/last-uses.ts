import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { TokenStore } from './token-store.ts';

/** How exact the time of the last use is. */
const intervalMs = 60_000;

/** Remembers when tokens were used and writes it once a minute: a call never waits for it. */
export class LastUses {
  readonly #store: TokenStore;
  readonly #log: Logger;
  readonly #pending = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;
  #writing = Promise.resolve();

  constructor(store: TokenStore, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#timer = setInterval(() => void this.#write(), intervalMs).unref();
  }

  note(tokenId: number, now: number): void {
    this.#pending.set(tokenId, now);
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#write();
  }

  /** One write after the other, so that whoever waits for this one waits for those before. */
  #write(): Promise<void> {
    const uses = new Map(this.#pending);
    this.#pending.clear();
    if (uses.size > 0)
      this.#writing = this.#writing.then(() => this.#store.noteUses(uses)).catch((error: unknown) => this.#warn(error));
    return this.#writing;
  }

  #warn(error: unknown): void {
    this.#log.warn({}, `last uses of tokens were not written: ${messageOf(error)}`);
  }
}
