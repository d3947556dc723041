import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { AccessToken, TokenStore } from './token-store.ts';

/** How exact the time of the last use is. */
const intervalMs = 60_000;

/** Remembers when tokens were used and writes it once a minute: a call never waits for it. */
export class LastUses {
  readonly #store: TokenStore;
  readonly #log: Logger;
  readonly #pending = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(store: TokenStore, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#timer = setInterval(() => void this.#flush(), intervalMs).unref();
  }

  note({ id }: AccessToken, now: number): void {
    this.#pending.set(id, now);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#pending.size === 0) return;
    const uses = new Map(this.#pending);
    this.#pending.clear();
    await this.#store.noteUses(uses).catch((error: unknown) => this.#log.warn({}, `last uses of tokens were not written: ${messageOf(error)}`));
  }
}
