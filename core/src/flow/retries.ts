export interface PauseLimits {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Milliseconds to wait after so many failures in a row: twice as long each time, up to the longest. */
export const backoffMs = (failures: number, { firstMs, longestMs }: PauseLimits): number =>
  Math.min(longestMs, firstMs * 2 ** (failures - 1));

const limits: PauseLimits = { firstMs: 1000, longestMs: 600_000 };

interface Failing {
  readonly failures: number;
  readonly timer: NodeJS.Timeout;
  readonly nextTry: Date;
}

/** Repeats failed background work, told apart by names, after growing pauses: a full disk may have room again without notice. */
export class Retries {
  readonly #again: (name: string) => void;
  readonly #failing = new Map<string, Failing>();

  /** `again` is called with a name after each pause; the process does not stay alive for it. */
  constructor(again: (name: string) => void) {
    this.#again = again;
  }

  /** Answers whether this is the first failure since the last success: later ones need not be logged. */
  failed(name: string): boolean {
    const before = this.#failing.get(name);
    const failures = (before?.failures ?? 0) + 1;
    const pauseMs = backoffMs(failures, limits);
    clearTimeout(before?.timer);
    const timer = setTimeout(() => this.#again(name), pauseMs).unref();
    this.#failing.set(name, { failures, timer, nextTry: new Date(Date.now() + pauseMs) });
    return !before;
  }

  /** When the work is tried again, RFC 3339; undefined where it did not fail. */
  nextTry(name: string): { nextTry: string } | undefined {
    const failing = this.#failing.get(name);
    return failing && { nextTry: failing.nextTry.toISOString() };
  }

  succeeded(name: string): void {
    clearTimeout(this.#failing.get(name)?.timer);
    this.#failing.delete(name);
  }

  close(): void {
    for (const name of this.#failing.keys()) this.succeeded(name);
  }
}
