type Rank = (document: number) => number;

/** The documents of one bound. */
interface Group {
  readonly documents: number[];
  /** The same in the order in which they are taken, and how many were. */
  ordered: Uint32Array | undefined;
  taken: number;
}

/** Documents that the index proposes, added in their order and taken by their bounds, those of equal bounds by their ranks. */
export class Waiting {
  readonly #byBound = new Map<number, Group>();
  readonly #rankOf: Rank | undefined;
  /** Ascending; known once the first are taken. */
  #bounds: number[] | undefined;
  #size = 0;
  /** The group of the document that was added last: mostly many in a row have the same bound. */
  #last: { readonly bound: number; readonly documents: number[] } | undefined;

  /** The lowest rank comes first; without ranks the first document. */
  constructor(rankOf?: Rank) {
    this.#rankOf = rankOf;
  }

  get size(): number {
    return this.#size;
  }

  add(document: number, bound: number): void {
    this.#size += 1;
    if (this.#last?.bound !== bound) this.#last = { bound, documents: this.#groupOf(bound).documents };
    this.#last.documents.push(document);
  }

  /** The one that is taken next. */
  get first(): { readonly bound: number; readonly document: number } | undefined {
    const bound = this.#ascending().at(-1);
    const group = bound === undefined ? undefined : this.#byBound.get(bound);
    if (bound === undefined || !group) return undefined;
    group.ordered ??= this.#inOrder(group.documents);
    return { bound, document: group.ordered[group.taken] ?? 0 };
  }

  /** Removes those with the highest bounds as long as they are wanted, at most so many; ascending. */
  take(most: number, isWanted: (bound: number, document: number) => boolean): Uint32Array {
    const bounds = this.#ascending();
    const taken = new Uint32Array(Math.min(most, this.#size));
    let count = 0;
    for (let bound = bounds.at(-1); bound !== undefined && count < most; bound = bounds.at(-1)) {
      const group = this.#byBound.get(bound);
      if (!group) break;
      group.ordered ??= this.#inOrder(group.documents);
      if (!isWanted(bound, group.ordered[group.taken] ?? 0)) break;
      const next = group.ordered.subarray(group.taken, group.taken + most - count);
      taken.set(next, count);
      count += next.length;
      group.taken += next.length;
      if (group.taken === group.ordered.length) bounds.pop();
    }
    this.#size -= count;
    return taken.slice(0, count).sort();
  }

  #groupOf(bound: number): Group {
    const known = this.#byBound.get(bound);
    if (known) return known;
    const group = { documents: [], ordered: undefined, taken: 0 };
    this.#byBound.set(bound, group);
    return group;
  }

  #ascending(): number[] {
    return (this.#bounds ??= [...this.#byBound.keys()].sort((a, b) => a - b));
  }

  #inOrder(documents: readonly number[]): Uint32Array {
    const rankOf = this.#rankOf;
    if (!rankOf || ascends(documents, rankOf)) return Uint32Array.from(documents);
    // Numbers alone: sorting with a comparison takes ten times as long.
    const span = (documents.at(-1) ?? 0) + 1;
    const keys = Float64Array.from(documents, (document) => rankOf(document) * span + document).sort();
    return Uint32Array.from(keys, (key) => key % span);
  }
}

/** Whether documents stand in the order of their ranks, as they mostly do. */
function ascends(documents: readonly number[], rankOf: Rank): boolean {
  let before = -Infinity;
  for (const document of documents) {
    const rank = rankOf(document);
    if (rank < before) return false;
    before = rank;
  }
  return true;
}
