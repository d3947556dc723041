/** Who has begun a search less than so many milliseconds ago will soon begin another, and searches that were together will be again. */
const recentMs = 200;

/** Who has begun searches lately, and whether they came one after the other. */
export class RecentSearches {
  /** When each began the last one, the latest at the end. */
  readonly #begun = new Map<number, number>();
  /** When one last began while another ran. */
  #together = -Infinity;

  /** One that is together begins while another runs. */
  begin(caller: number, { now, isTogether }: { now: number; isTogether: boolean }): void {
    if (isTogether) this.#together = now;
    for (const [other, at] of this.#begun) if (now - at >= recentMs) this.#begun.delete(other);
    this.#begun.delete(caller);
    this.#begun.set(caller, now);
  }

  /** Whether one began lately while another ran: then time of a thread that is free now is time of the next. */
  wereTogether(now: number): boolean {
    return now - this.#together < recentMs;
  }

  /** Whether anyone else has. */
  areOthersThan(caller: number, now: number): boolean {
    for (const [other, at] of this.#begun) if (other !== caller && now - at < recentMs) return true;
    return false;
  }
}
