/** Milliseconds that a returning caller is ahead of the others: a short search need not wait for its slice. */
const aheadMs = 10;
/** Items of one caller that run in turn. */
const mostOfCaller = 3;
/** Most items that are begun at a time, because each holds what it has found. A caller may begin its second only while under half are begun. */
const mostBegun = 24;
/** Callers whose time is remembered. */
const mostRemembered = 1000;

export interface Slice<T> {
  readonly caller: number;
  readonly item: T;
}

/**
 * Chooses what runs next. The waiting caller with the least time is next, and the first items of that caller take turns.
 * The number of begun items is limited; others wait until one ends.
 */
export class FairScheduler<T> {
  readonly #waiting = new Map<number, T[]>();
  readonly #begun = new Set<T>();
  /** Milliseconds that each caller had. */
  readonly #spent = new Map<number, number>();
  /** Milliseconds that the last chosen caller had before its slice. A caller that returns starts near this time. Never falls. */
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
    this.#spent.set(caller, this.#spentBy(caller));
    if (this.#spent.size > mostRemembered)
      for (const other of this.#spent.keys()) if (!this.#waiting.has(other)) this.#spent.delete(other);
  }

  remove(caller: number, item: T): void {
    this.#begun.delete(item);
    const left = (this.#waiting.get(caller) ?? []).filter((each) => each !== item);
    if (left.length > 0) this.#waiting.set(caller, left);
    else this.#waiting.delete(caller);
  }

  /** The item that runs next; it stays until it is removed. */
  next(): Slice<T> | undefined {
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
    chosen.items.splice(mostOfCaller - 1, 0, item);
    this.#begun.add(item);
    this.#clock = Math.max(this.#clock, chosen.spent);
    return { caller: chosen.caller, item };
  }

  /** Counts the time that an item had. */
  spend({ caller }: Slice<T>, milliseconds: number): void {
    this.#spent.set(caller, this.#spentBy(caller) + milliseconds);
  }

  /** The index of the item that a caller continues or begins; -1 if all must wait. */
  #nextOf(items: readonly T[]): number {
    const first = items.slice(0, mostOfCaller);
    const share = first.some((item) => this.#begun.has(item)) ? 0.5 : 1;
    return first.findIndex((item) => this.#begun.has(item) || this.#begun.size < mostBegun * share);
  }

  /** A caller that was away, or whose items all had to wait, saves up no time. */
  #spentBy(caller: number): number {
    return Math.max(this.#spent.get(caller) ?? 0, this.#clock - aheadMs);
  }
}
