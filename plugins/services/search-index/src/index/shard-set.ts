import type { StoredShard } from '../threads/protocol.ts';
import { numberOf } from '../threads/shard-name.ts';

/** Where a blob's text is. */
export interface DocumentPlace {
  readonly shard: StoredShard;
  readonly document: number;
}

/** Indexes of this size are not worth building anew. */
const largeBytes = 16 << 20;

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

  /** The shards that stay when small ones become one: large, and at least half of them still wanted. */
  worthKeeping(wanted: readonly string[]): StoredShard[] {
    const used = new Map<StoredShard, number>();
    for (const blob of wanted) {
      const shard = this.#places.get(blob)?.shard;
      if (shard) used.set(shard, (used.get(shard) ?? 0) + 1);
    }
    const total = this.shards.reduce((sum, { loaded }) => sum + loaded.handle.bytes, 0);
    return this.shards.filter((shard) => {
      const { handle, documents } = shard.loaded;
      const isLarge = handle.bytes >= largeBytes || handle.bytes > total / 4;
      return isLarge && (used.get(shard) ?? 0) >= documents / 2;
    });
  }

  /** Shards of which every document is in a later one. */
  get redundant(): StoredShard[] {
    const used = new Set([...this.#places.values()].map(({ shard }) => shard));
    return this.shards.filter((shard) => shard.loaded.documents > 0 && !used.has(shard));
  }

  get nextNumber(): number {
    return 1 + Math.max(0, ...this.shards.map(({ name }) => numberOf(name)));
  }
}
