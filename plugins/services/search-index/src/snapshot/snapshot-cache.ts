import { LRUCache } from 'lru-cache';
import type { Snapshot } from './snapshot.ts';

/** This many snapshots stay whatever their size: the caller that builds one searches it next. */
const fewest = 8;

/** The snapshots of commits that are no branch, of all repositories. The least recently used is evicted where they are too large together. */
export class SnapshotCache {
  readonly #maxBytes: number;
  /** What evicts each snapshot from the index that it belongs to. */
  readonly #evictions = new LRUCache<Snapshot, () => void>({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: (_, { bytes }) => Math.max(1, bytes),
  });

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a snapshot, or notes that it was used again. */
  keep(snapshot: Snapshot, evict: () => void): void {
    this.#evictions.set(snapshot, evict);
    while (this.#evictions.calculatedSize > this.#maxBytes && this.#evictions.size > fewest) this.#evictions.pop()?.();
  }

  /** Takes out a snapshot that stays without the cache, or is retired. */
  leave(snapshot: Snapshot): void {
    this.#evictions.delete(snapshot);
  }
}
