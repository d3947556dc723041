import type { StoredShard } from '../threads/protocol.ts';
import { numberOf } from '../threads/shard-name.ts';

/** Where a blob's text is. */
export interface DocumentPlace {
  readonly shard: StoredShard;
  readonly document: number;
}

/** The shards of a repository, by the blobs that are in them. */
export class ShardSet {
  readonly shards: readonly StoredShard[];
  readonly #places = new Map<string, DocumentPlace>();
  readonly #skipped = new Map<string, 'binary' | 'missing'>();

  constructor(shards: readonly StoredShard[]) {
    this.shards = shards;
    for (const shard of shards) {
      for (const [document, id] of shard.table.documents.entries()) this.#places.set(id, { shard, document });
      for (const [id, reason] of Object.entries(shard.table.skipped)) this.#skipped.set(id, reason);
    }
  }

  place(blob: string): DocumentPlace | undefined {
    return this.#places.get(blob);
  }

  /** Whether nothing more is to be learned of a blob. A missing one may come with the next fetch. */
  isKnown(blob: string): boolean {
    return this.#places.has(blob) || this.#skipped.get(blob) === 'binary';
  }

  get nextNumber(): number {
    return 1 + Math.max(0, ...this.shards.map(({ name }) => numberOf(name)));
  }
}
