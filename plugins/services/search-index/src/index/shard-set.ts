import type { StoredShard } from '../threads/protocol.ts';
import { numberOf } from '../threads/shard-name.ts';
import { unpackTable } from '../threads/shard-table.ts';
import type { SkipReason } from '../threads/shard-table.ts';

/** Where a blob's text is. */
export interface DocumentPlace {
  readonly shard: StoredShard;
  readonly document: number;
}

/** Indexes of this size are not worth building anew. */
const largeBytes = 16 << 20;

/** What is in the tables of shards. */
interface Known {
  readonly places: ReadonlyMap<string, DocumentPlace>;
  readonly skipped: ReadonlyMap<string, SkipReason>;
}

/** The shards of a repository, by the blobs that are in them. */
export class ShardSet {
  readonly shards: readonly StoredShard[];
  #known: Known | undefined;

  constructor(shards: readonly StoredShard[]) {
    this.shards = shards;
  }

  /** These and more; what is known of these is not read again. */
  with(more: readonly StoredShard[]): ShardSet {
    const set = new ShardSet([...this.shards, ...more]);
    if (this.#known) set.#known = withTables(this.#known, more);
    return set;
  }

  /** The shard of a name, where it has so many documents. */
  named(name: string, documents: number): StoredShard | undefined {
    return this.shards.find((shard) => shard.name === name && shard.loaded.documents === documents);
  }

  place(blob: string): DocumentPlace | undefined {
    return this.#tables.places.get(blob);
  }

  /** Whether nothing more is to be learned of a blob. A missing one may come with the next fetch. */
  isKnown(blob: string): boolean {
    return this.#tables.places.has(blob) || this.#tables.skipped.get(blob) === 'binary';
  }

  /** The shards that stay when small ones become one: large, and at least half of them still wanted. */
  worthKeeping(wanted: readonly string[]): StoredShard[] {
    const used = new Map<StoredShard, number>();
    for (const blob of wanted) {
      const shard = this.place(blob)?.shard;
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
    if (this.shards.length < 2) return [];
    const used = new Set(this.#tables.places.values().map(({ shard }) => shard));
    return this.shards.filter((shard) => shard.loaded.documents > 0 && !used.has(shard));
  }

  get nextNumber(): number {
    return 1 + Math.max(0, ...this.shards.map(({ name }) => numberOf(name)));
  }

  /** Tables are read when the first blob is looked up: after a start mostly none is. */
  get #tables(): Known {
    this.#known ??= withTables(nothing, this.shards);
    return this.#known;
  }
}

const nothing: Known = { places: new Map(), skipped: new Map() };

function withTables(known: Known, shards: readonly StoredShard[]): Known {
  const places = new Map(known.places);
  const skipped = new Map(known.skipped);
  for (const shard of shards) {
    const table = unpackTable(shard.table);
    for (const [document, id] of table.documents.entries()) places.set(id, { shard, document });
    for (const [id, reason] of Object.entries(table.skipped)) skipped.set(id, reason);
  }
  return { places, skipped };
}
