import { setTimeout } from 'node:timers/promises';
import { SextantError } from '@sextant/core';

const hourMs = 3_600_000;
const longWaitMs = 10_000;
/** Share of the operator's limit that lists leave to requests that cannot wait: those about people who call. */
const keptForCalls = 0.25;
/** The same that these leave to lists: steady calls would keep what is listed as it is for ever. */
const keptForLists = 0.1;

interface SentRequest {
  readonly at: number;
  readonly waits: boolean;
}

interface TakenRequest {
  readonly waits: boolean;
  /** What the host counts it by; absent: by the quota of most requests. */
  readonly quota?: string | undefined;
  readonly signal: AbortSignal;
  /** Told for how many seconds it waits, where that is long. */
  readonly onWait?: ((seconds: number) => void) | undefined;
}

/** Says when the next request may go to a host: after its own limit, and within that of the operator. */
export class RequestBudget {
  readonly #perHour: number;
  readonly #now: () => number;
  /** The requests of the last hour, the oldest first; kept only where there is a limit. */
  #sent: SentRequest[] = [];
  /** Of everything under the empty name, else of one quota. */
  readonly #pausedUntil = new Map<string, number>();

  constructor(perHour = Number.POSITIVE_INFINITY, now: () => number = Date.now) {
    this.#perHour = perHour;
    this.#now = now;
  }

  /** The host wants no request before so many milliseconds: none of this quota, or none at all. */
  pause(ms: number, quota = ''): void {
    this.#pausedUntil.set(quota, Math.max(this.#pausedUntil.get(quota) ?? 0, this.#now() + ms));
  }

  /** Counts a request that goes now. Waits until it may, or throws `exhausted`. */
  async take({ waits, quota = '', signal, onWait }: TakenRequest): Promise<void> {
    for (let ms = this.#waitMs(waits, quota); ms > 0; ms = this.#waitMs(waits, quota)) {
      if (!waits)
        throw new SextantError('exhausted', 'the code host takes no more requests now', {
          retryAfterSeconds: Math.ceil(ms / 1000),
        });
      if (ms > longWaitMs) onWait?.(Math.ceil(ms / 1000));
      await setTimeout(ms, undefined, { signal, ref: false });
    }
    if (Number.isFinite(this.#perHour)) this.#sent.push({ at: this.#now(), waits });
  }

  #waitMs(waits: boolean, quota: string): number {
    const paused = Math.max(this.#pausedUntil.get('') ?? 0, this.#pausedUntil.get(quota) ?? 0);
    return Math.max(this.#ownWaitMs(waits), paused - this.#now(), 0);
  }

  /** Until it is within the limit of the operator. */
  #ownWaitMs(waits: boolean): number {
    if (!Number.isFinite(this.#perHour)) return 0;
    const now = this.#now();
    this.#sent = this.#sent.filter(({ at }) => at > now - hourMs);
    const ofKind = this.#sent.filter((each) => each.waits === waits);
    /** Until fewer than so many of them are of the last hour. */
    const untilFewer = (sent: readonly SentRequest[], most: number): number => {
      if (most === 0) return Number.POSITIVE_INFINITY;
      const inTheWay = sent[sent.length - most];
      return inTheWay === undefined ? 0 : inTheWay.at + hourMs - now;
    };
    const lists = Math.floor(this.#perHour * keptForLists);
    const [any, own] = [this.#perHour, waits ? lists : this.#perHour - lists];
    const kept = Math.max(untilFewer(this.#sent, any), untilFewer(ofKind, own));
    if (!waits) return kept;
    return Math.min(kept, untilFewer(this.#sent, Math.ceil(this.#perHour * (1 - keptForCalls))));
  }
}
