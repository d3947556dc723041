/** The newest of what is added, so many. */
export class Newest<T> {
  readonly #most: number;
  readonly #timeOf: (item: T) => number;
  #items: T[] = [];

  constructor(most: number, timeOf: (item: T) => number) {
    this.#most = most;
    this.#timeOf = timeOf;
  }

  /** Newest first; of those of one second, what was added first. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** The time from which on nothing can be added any more that is among the newest. */
  get least(): number {
    const last = this.#items[this.#most - 1];
    return last === undefined ? -Infinity : this.#timeOf(last);
  }

  add(items: readonly T[]): void {
    this.#items = [...this.#items, ...items].toSorted((a, b) => this.#timeOf(b) - this.#timeOf(a)).slice(0, this.#most);
  }
}
