import type { Collector } from '../match/collector.ts';

/** The documents with one bound. */
interface Bucket {
  readonly documents: number[];
  /** The same in the order in which they are taken, and how many were taken. */
  ordered: Uint32Array | undefined;
  taken: number;
}

/** A priority queue of documents: the highest bound first, among equal bounds the lowest tie-break. All are added before the first is taken. */
export class PriorityQueue {
  readonly #collector: Pick<Collector, 'interest' | 'tieBreak'>;
  readonly #buckets = new Map<number, Bucket>();
  /** Ascending; known once the first are taken. */
  #bounds: number[] | undefined;
  #size = 0;
  /** The bucket of the last document: mostly many in a row have the same bound. */
  #last: { readonly bound: number; readonly documents: number[] } | undefined;

  constructor(collector: Pick<Collector, 'interest' | 'tieBreak'>) {
    this.#collector = collector;
  }

  get size(): number {
    return this.#size;
  }

  add(document: number, bound: number): void {
    this.#size += 1;
    if (this.#last?.bound !== bound) this.#last = { bound, documents: this.#bucketOf(bound).documents };
    this.#last.documents.push(document);
  }

  /** The one that is taken next. */
  get first(): { readonly bound: number; readonly document: number } | undefined {
    const bound = this.#ascending().at(-1);
    const bucket = bound === undefined ? undefined : this.#buckets.get(bound);
    if (bound === undefined || !bucket) return undefined;
    bucket.ordered ??= this.#inOrder(bucket.documents);
    return { bound, document: bucket.ordered[bucket.taken] ?? 0 };
  }

  /** Removes the best documents while they can win, at most so many; ascending. */
  take(most: number): Uint32Array {
    const bounds = this.#ascending();
    const taken = new Uint32Array(Math.min(most, this.#size));
    let count = 0;
    for (let bound = bounds.at(-1); bound !== undefined && count < most; bound = bounds.at(-1)) {
      const bucket = this.#buckets.get(bound);
      if (!bucket) break;
      bucket.ordered ??= this.#inOrder(bucket.documents);
      if (this.#collector.interest(bound, bucket.ordered[bucket.taken] ?? 0) === 'none') break;
      const next = bucket.ordered.subarray(bucket.taken, bucket.taken + most - count);
      taken.set(next, count);
      count += next.length;
      bucket.taken += next.length;
      if (bucket.taken === bucket.ordered.length) bounds.pop();
    }
    this.#size -= count;
    return taken.slice(0, count).sort();
  }

  #bucketOf(bound: number): Bucket {
    const known = this.#buckets.get(bound);
    if (known) return known;
    const bucket = { documents: [], ordered: undefined, taken: 0 };
    this.#buckets.set(bound, bucket);
    return bucket;
  }

  #ascending(): number[] {
    return (this.#bounds ??= [...this.#buckets.keys()].sort((a, b) => a - b));
  }

  #inOrder(documents: readonly number[]): Uint32Array {
    const collector = this.#collector;
    if (!collector.tieBreak) return Uint32Array.from(documents);
    const ties = Float64Array.from(documents, (document) => collector.tieBreak?.(document) ?? 0);
    if (ties.every((tie, i) => i === 0 || tie >= (ties[i - 1] ?? 0))) return Uint32Array.from(documents);
    // Tie-break and document in one number: sorting with a comparison function takes ten times as long.
    const span = (documents.at(-1) ?? 0) + 1;
    for (let i = 0; i < ties.length; i += 1) ties[i] = (ties[i] ?? 0) * span + (documents[i] ?? 0);
    return Uint32Array.from(ties.sort(), (key) => key % span);
  }
}
