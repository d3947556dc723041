import { setTimeout } from 'node:timers/promises';
import { SextantError } from '@sextant/core';

const hourMs = 3_600_000;

/** Says when the next request may go to a host: after its own limit, and within that of the operator. */
export class RequestBudget {
  readonly #perHour: number;
  readonly #now: () => number;
  /** Times of the requests of the last hour, the oldest first; kept only where there is a limit. */
  #sent: number[] = [];
  #pausedUntil = 0;

  constructor(perHour = Number.POSITIVE_INFINITY, now: () => number = Date.now) {
    this.#perHour = perHour;
    this.#now = now;
  }

  /** The host wants no request before so many milliseconds. */
  pause(ms: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now() + ms);
  }

  /** Counts a request that goes now. Waits until it may, or throws `exhausted`. */
  async take({ waits, signal }: { waits: boolean; signal: AbortSignal }): Promise<void> {
    for (let ms = this.#waitMs(); ms > 0; ms = this.#waitMs()) {
      if (!waits)
        throw new SextantError('exhausted', 'the code host takes no more requests now', {
          retryAfterSeconds: Math.ceil(ms / 1000),
        });
      await setTimeout(ms, undefined, { signal, ref: false });
    }
    if (Number.isFinite(this.#perHour)) this.#sent.push(this.#now());
  }

  #waitMs(): number {
    const now = this.#now();
    this.#sent = this.#sent.filter((at) => at > now - hourMs);
    const [oldest = now] = this.#sent;
    const own = this.#sent.length < this.#perHour ? 0 : oldest + hourMs - now;
    return Math.max(own, this.#pausedUntil - now, 0);
  }
}
