/** Numbers, of which the first of an order is at hand. */
export class Heap {
  readonly #isBefore: (a: number, b: number) => boolean;
  readonly #items: number[] = [];

  constructor(isBefore: (a: number, b: number) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): number | undefined {
    return this.#items[0];
  }

  add(item: number): void {
    let at = this.#items.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = this.#items[above] ?? 0;
      if (!this.#isBefore(item, parent)) break;
      this.#items[at] = parent;
      at = above;
    }
    this.#items[at] = item;
  }

  /** Removes the first. */
  take(): number | undefined {
    const [first] = this.#items;
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) this.#sink(last);
    return first;
  }

  /** Puts an item to where it belongs, from the top down. */
  #sink(item: number): void {
    const items = this.#items;
    let at = 0;
    for (let below = 1; below < items.length; below = 2 * at + 1) {
      if (below + 1 < items.length && this.#isBefore(items[below + 1] ?? 0, items[below] ?? 0)) below++;
      const child = items[below] ?? 0;
      if (!this.#isBefore(child, item)) break;
      items[at] = child;
      at = below;
    }
    items[at] = item;
  }
}
