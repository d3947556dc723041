/** A caller that comes back is this much ahead of the others, in milliseconds: a short search need not wait for its turn. */
const advance = 10;
/** So many items of a caller are gone on with in turn. */
const together = 3;
/** So many of all callers: each holds what it has found. Half of them a caller may only have as its first. */
const mostBegun = 8;
/** Callers of which it is remembered what they had. */
const mostRemembered = 1000;

/** Whose turn it is: of those that wait, the caller who has had the least time, and of its first items one after the other. What is not begun waits while many are. */
export class FairTurns<T> {
  readonly #waiting = new Map<number, T[]>();
  readonly #begun = new Set<T>();
  /** Milliseconds that each caller has had. */
  readonly #spent = new Map<number, number>();
  /** What the one had whose turn it was last: nobody saves up time while away. */
  #clock = 0;

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
    this.#spent.set(caller, Math.max(this.#spent.get(caller) ?? 0, this.#clock - advance));
    if (this.#spent.size > mostRemembered)
      for (const other of this.#spent.keys()) if (!this.#waiting.has(other)) this.#spent.delete(other);
  }

  remove(caller: number, item: T): void {
    this.#begun.delete(item);
    const left = (this.#waiting.get(caller) ?? []).filter((each) => each !== item);
    if (left.length > 0) this.#waiting.set(caller, left);
    else this.#waiting.delete(caller);
  }

  /** The item whose turn it is; it stays until it is removed. */
  next(): { caller: number; item: T } | undefined {
    let chosen: { caller: number; items: T[]; at: number; spent: number } | undefined;
    for (const [caller, items] of this.#waiting) {
      const spent = this.#spent.get(caller) ?? 0;
      if (chosen && spent >= chosen.spent) continue;
      const at = this.#nextOf(items);
      if (at >= 0) chosen = { caller, items, at, spent };
    }
    if (!chosen) return undefined;
    const [item] = chosen.items.splice(chosen.at, 1);
    if (item === undefined) return undefined;
    chosen.items.splice(together - 1, 0, item);
    this.#begun.add(item);
    this.#clock = Math.max(this.#clock, chosen.spent);
    return { caller: chosen.caller, item };
  }

  /** Which item of a caller is gone on with, or may begin; -1 where all of them have to wait. */
  #nextOf(items: readonly T[]): number {
    const first = items.slice(0, together);
    const most = first.some((item) => this.#begun.has(item)) ? mostBegun / 2 : mostBegun;
    return first.findIndex((item) => this.#begun.has(item) || this.#begun.size < most);
  }

  spend(caller: number, milliseconds: number): void {
    this.#spent.set(caller, (this.#spent.get(caller) ?? 0) + milliseconds);
  }
}
