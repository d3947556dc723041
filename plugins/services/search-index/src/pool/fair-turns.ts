/** A caller that comes back is this much ahead of the others, in milliseconds: a short search need not wait for its turn. */
const advance = 10;
/** So many items of a caller are gone on with in turn. */
const together = 3;
/** So many of all callers are begun: each holds what it has found. Half of them a caller may only have as its first. */
const mostBegun = 24;
/** So many of them go on once they had so many milliseconds, by which most have ended; the others have not found much by then. */
const mostLong = 8;
const longMs = 30;
/** What had more milliseconds rests where heavy searches do. */
export const heavyMs = 100;
/** Callers of which it is remembered what they had. */
const mostRemembered = 1000;

export interface Turn<T> {
  readonly caller: number;
  readonly item: T;
}

/**
 * Whose turn it is: of those that wait, the caller who has had the least time, and of its first items one after the other. Where many are
 * begun or take long, others wait until one of them has ended.
 */
export class FairTurns<T> {
  readonly #waiting = new Map<number, T[]>();
  /** Milliseconds that each item has had which was begun. */
  readonly #begun = new Map<T, number>();
  readonly #long = new Set<T>();
  /** Milliseconds that each caller has had. */
  readonly #spent = new Map<number, number>();
  /** What the one had whose turn it was last. */
  #clock = 0;
  /** Whether heavy searches do not go on now. */
  isResting = false;

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  get items(): T[] {
    return [...this.#waiting.values()].flat();
  }

  add(caller: number, item: T): void {
    const items = this.#waiting.get(caller);
    if (items) {
      items.push(item);
      return;
    }
    this.#waiting.set(caller, [item]);
    this.#spent.set(caller, this.#spentBy(caller));
    if (this.#spent.size > mostRemembered)
      for (const other of this.#spent.keys()) if (!this.#waiting.has(other)) this.#spent.delete(other);
  }

  remove(caller: number, item: T): void {
    this.#begun.delete(item);
    this.#long.delete(item);
    const left = (this.#waiting.get(caller) ?? []).filter((each) => each !== item);
    if (left.length > 0) this.#waiting.set(caller, left);
    else this.#waiting.delete(caller);
  }

  /** The item whose turn it is; it stays until it is removed. */
  next(): Turn<T> | undefined {
    let chosen: { caller: number; items: T[]; at: number; spent: number } | undefined;
    for (const [caller, items] of this.#waiting) {
      const spent = this.#spentBy(caller);
      if (chosen && spent >= chosen.spent) continue;
      const at = this.#nextOf(items);
      if (at >= 0) chosen = { caller, items, at, spent };
    }
    if (!chosen) return undefined;
    const [item] = chosen.items.splice(chosen.at, 1);
    if (item === undefined) return undefined;
    chosen.items.splice(together - 1, 0, item);
    const had = this.#begun.get(item) ?? 0;
    this.#begun.set(item, had);
    if (had > longMs) this.#long.add(item);
    this.#clock = Math.max(this.#clock, chosen.spent);
    return { caller: chosen.caller, item };
  }

  /** Which item of a caller is gone on with, or may begin; -1 where all of them have to wait. */
  #nextOf(items: readonly T[]): number {
    const first = items.slice(0, together);
    const share = first.some((item) => this.#begun.has(item)) ? 0.5 : 1;
    return first.findIndex((item) => {
      const had = this.#begun.get(item);
      if (had === undefined) return this.#begun.size - this.#resting < mostBegun * share;
      if (had > heavyMs && this.isResting) return false;
      return had <= longMs || this.#long.has(item) || this.#long.size < mostLong;
    });
  }

  /** How many do not go on now. */
  get #resting(): number {
    return this.isResting ? [...this.#begun.values()].filter((had) => had > heavyMs).length : 0;
  }

  /** Nobody saves up time while away, or while all that it has must wait. */
  #spentBy(caller: number): number {
    return Math.max(this.#spent.get(caller) ?? 0, this.#clock - advance);
  }

  /** Counts what an item had of the time. */
  spend({ caller, item }: Turn<T>, milliseconds: number): void {
    this.#spent.set(caller, this.#spentBy(caller) + milliseconds);
    const had = this.#begun.get(item);
    if (had !== undefined) this.#begun.set(item, had + milliseconds);
  }
}
