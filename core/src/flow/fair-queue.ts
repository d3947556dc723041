/** Waiting items by owner. Owners take turns, each in its own order; items without an owner are background work and come last. */
export class FairQueue<T> {
  readonly #owned = new Map<unknown, T[]>();
  readonly #background: T[] = [];

  get isEmpty(): boolean {
    return this.#owned.size === 0 && this.#background.length === 0;
  }

  /** `isNext` puts it before the other items of its owner, such as one that was taken and never begun. */
  add(item: T, owner: unknown, isNext = false): void {
    const items = this.#itemsOf(owner);
    if (isNext) items.unshift(item);
    else items.push(item);
  }

  /** Takes an item of the owner that has waited longest. */
  takeOwned(): T | undefined {
    for (const [owner, items] of this.#owned) {
      const item = items.shift();
      this.#owned.delete(owner);
      if (items.length > 0) this.#owned.set(owner, items);
      return item;
    }
    return undefined;
  }

  takeBackground(): T | undefined {
    return this.#background.shift();
  }

  remove(item: T, owner: unknown): void {
    const items = owner === undefined ? this.#background : (this.#owned.get(owner) ?? []);
    const at = items.indexOf(item);
    if (at >= 0) items.splice(at, 1);
    if (items.length === 0) this.#owned.delete(owner);
  }

  takeAll(): T[] {
    const all = [...this.#owned.values(), this.#background].flat();
    this.#owned.clear();
    this.#background.length = 0;
    return all;
  }

  #itemsOf(owner: unknown): T[] {
    if (owner === undefined) return this.#background;
    const items = this.#owned.get(owner) ?? [];
    this.#owned.set(owner, items);
    return items;
  }
}
