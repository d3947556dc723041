import { setImmediate } from 'node:timers/promises';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { EventStore } from './event-store.ts';

const dayMs = 24 * 3600 * 1000;
const intervalMs = 3600 * 1000;

export interface RetentionOptions {
  events: Pick<EventStore, 'deleteBefore'>;
  days: number;
  log: Logger;
}

/** Deletes events that are too old: at the start and every hour, some at a time. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;
  #deleting: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  begin(): void {
    if (this.#isClosed) return;
    this.#timer = setInterval(() => this.#begin(), intervalMs).unref();
    this.#begin();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#deleting;
  }

  #begin(): void {
    this.#deleting ??= this.#deleteOld().finally(() => (this.#deleting = undefined));
  }

  async #deleteOld(): Promise<void> {
    const { events, days, log } = this.#options;
    try {
      while (!this.#isClosed && (await events.deleteBefore(Date.now() - days * dayMs))) await setImmediate();
    } catch (error) {
      log.warn({}, `old usage events were not deleted: ${messageOf(error)}`);
    }
  }
}
