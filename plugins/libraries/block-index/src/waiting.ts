/** Documents that the index proposes, added in their order and taken by their bounds. */
export class Waiting {
  readonly #byBound = new Map<number, number[]>();
  /** Ascending; known once the first are taken. */
  #bounds: number[] | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(document: number, bound: number): void {
    this.#size += 1;
    const same = this.#byBound.get(bound);
    if (same) same.push(document);
    else this.#byBound.set(bound, [document]);
  }

  /** Removes those with the highest bounds as long as they are wanted, at most so many; ascending. */
  take(most: number, isWanted: (bound: number) => boolean): Uint32Array {
    this.#bounds ??= [...this.#byBound.keys()].sort((a, b) => a - b);
    const taken = new Uint32Array(Math.min(most, this.#size));
    let count = 0;
    for (let bound = this.#bounds.at(-1); bound !== undefined && count < most; bound = this.#bounds.at(-1)) {
      if (!isWanted(bound)) break;
      const documents = this.#byBound.get(bound) ?? [];
      const next = documents.splice(0, most - count);
      taken.set(next, count);
      count += next.length;
      if (documents.length === 0) this.#bounds.pop();
    }
    this.#size -= count;
    return taken.slice(0, count).sort();
  }
}
