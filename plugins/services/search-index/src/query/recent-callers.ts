/** Who has begun a search less than so many milliseconds ago will soon begin another. */
const recentMs = 200;

/** Who has begun searches lately. */
export class RecentCallers {
  /** When each began the last one, the latest at the end. */
  readonly #begun = new Map<number, number>();

  begin(caller: number, now: number): void {
    for (const [other, at] of this.#begun) if (now - at >= recentMs) this.#begun.delete(other);
    this.#begun.delete(caller);
    this.#begun.set(caller, now);
  }

  /** Whether anyone else has. */
  areOthersThan(caller: number, now: number): boolean {
    for (const [other, at] of this.#begun) if (other !== caller && now - at < recentMs) return true;
    return false;
  }
}
