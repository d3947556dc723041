/** A caller that comes back is this much ahead of the others, in milliseconds: a short search need not wait for its turn. */
const advance = 10;
/** So many items of a caller are gone on with in turn; each may hold memory. */
const together = 3;
/** Callers of which it is remembered what they had. */
const mostRemembered = 1000;

/** Whose turn it is: of those that wait, the caller who has had the least time, and of its first items one after the other. */
export class FairTurns<T> {
  readonly #waiting = new Map<number, T[]>();
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
    const left = (this.#waiting.get(caller) ?? []).filter((each) => each !== item);
    if (left.length > 0) this.#waiting.set(caller, left);
    else this.#waiting.delete(caller);
  }

  /** The item whose turn it is; it stays until it is removed. */
  next(): { caller: number; item: T } | undefined {
    let chosen: { caller: number; items: T[]; spent: number } | undefined;
    for (const [caller, items] of this.#waiting) {
      const spent = this.#spent.get(caller) ?? 0;
      if (!chosen || spent < chosen.spent) chosen = { caller, items, spent };
    }
    const item = chosen?.items.shift();
    if (!chosen || item === undefined) return undefined;
    chosen.items.splice(together - 1, 0, item);
    this.#clock = Math.max(this.#clock, chosen.spent);
    return { caller: chosen.caller, item };
  }

  spend(caller: number, milliseconds: number): void {
    this.#spent.set(caller, (this.#spent.get(caller) ?? 0) + milliseconds);
  }
}
