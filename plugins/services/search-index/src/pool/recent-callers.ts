/** Callers that searched in the last `recentMs` are treated as active: they will soon search again. */
const recentMs = 200;
/** Callers that had a long search in the last `longMs` are not those for whom a worker is reserved. */
const longMs = 1000;

/** Which callers searched lately, and whether their searches ran together. Times are those of `performance.now`. */
export class RecentCallers {
  /** When each began its last search; the latest at the end. */
  readonly #begun = new Map<number, number>();
  /** When each last had a long search; the latest at the end. */
  readonly #long = new Map<number, number>();
  #lastTogether = -Infinity;
  #lastShort = -Infinity;

  /** `isTogether`: another search runs. */
  begin(caller: number, { now, isTogether }: { now: number; isTogether: boolean }): void {
    if (isTogether) this.#lastTogether = now;
    note(this.#begun, caller, { now, ms: recentMs });
  }

  noteLong(caller: number, now: number): void {
    note(this.#long, caller, { now, ms: longMs });
  }

  /** A caller asks; answers whether it is one without long searches. */
  noteShort(caller: number, now: number): boolean {
    const isShort = now - (this.#long.get(caller) ?? -Infinity) >= longMs;
    if (isShort) this.#lastShort = now;
    return isShort;
  }

  isShortActive(now: number): boolean {
    return now - this.#lastShort < recentMs;
  }

  /** Whether searches ran together lately: then a free worker is left to the next one. */
  wereTogether(now: number): boolean {
    return now - this.#lastTogether < recentMs;
  }

  areOthersThan(caller: number, now: number): boolean {
    for (const [other, at] of this.#begun) if (other !== caller && now - at < recentMs) return true;
    return false;
  }
}

function note(times: Map<number, number>, caller: number, { now, ms }: { now: number; ms: number }): void {
  for (const [other, at] of times) if (now - at >= ms) times.delete(other);
  times.delete(caller);
  times.set(caller, now);
}
