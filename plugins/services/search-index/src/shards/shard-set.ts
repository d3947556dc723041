import type { StoredShard } from './loaded-shard.ts';
import { numberOf, unpackTable } from './shard-files.ts';

/** Where a blob's text is. */
export interface DocumentPlace {
  readonly shard: StoredShard;
  readonly document: number;
}

/** A shard whose index is this large is not merged with others. */
const largeBytes = 16 << 20;

/** The table of a shard, by blob. */
interface Known {
  /** The blobs of its documents, in order. */
  readonly blobs: readonly string[];
  readonly documents: ReadonlyMap<string, number>;
  readonly binary: ReadonlySet<string>;
}

/** A table is read when the first blob is looked up. After a start, most are never read. */
const tables = new WeakMap<StoredShard, Known>();

function tableOf(shard: StoredShard): Known {
  const known = tables.get(shard);
  if (known) return known;
  const { documents, binary } = unpackTable(shard.table);
  const read = {
    blobs: documents,
    documents: new Map(documents.map((id, document) => [id, document])),
    binary: new Set(binary),
  };
  tables.set(shard, read);
  return read;
}

/** The blobs that are the documents of a shard. */
export const blobsIn = (shard: StoredShard): readonly string[] => tableOf(shard).blobs;

/** The shards of a repository, by the blobs that are in them. */
export class ShardSet {
  readonly shards: readonly StoredShard[];
  /** The shards with most documents first, newer ones before older ones. */
  readonly #inOrder: readonly StoredShard[];

  constructor(shards: readonly StoredShard[]) {
    this.shards = shards;
    this.#inOrder = shards.toReversed().sort((a, b) => b.documents - a.documents);
  }

  /** The shard of a name, if it has this number of documents. */
  named(name: string, documents: number): StoredShard | undefined {
    return this.shards.find((shard) => shard.name === name && shard.documents === documents);
  }

  place(blob: string): DocumentPlace | undefined {
    for (const shard of this.#inOrder) {
      const document = tableOf(shard).documents.get(blob);
      if (document !== undefined) return { shard, document };
    }
    return undefined;
  }

  /** Whether a blob need not be read again: it is indexed, or binary. A missing one may come with the next fetch. */
  isKnown(blob: string): boolean {
    return this.#inOrder.some((shard) => {
      const { documents, binary } = tableOf(shard);
      return documents.has(blob) || binary.has(blob);
    });
  }

  /** The shards that stay when small ones become one: those that are large, with at least half of their documents wanted. */
  worthKeeping(wanted: ReadonlySet<string>): StoredShard[] {
    const isUsed = (shard: StoredShard, blob: string): boolean => wanted.has(blob) && this.place(blob)?.shard === shard;
    const total = this.shards.reduce((sum, { handle }) => sum + handle.bytes, 0);
    return this.shards.filter((shard) => {
      const { handle, documents } = shard;
      const isLarge = handle.bytes >= largeBytes || handle.bytes > total / 4;
      return isLarge && blobsIn(shard).filter((blob) => isUsed(shard, blob)).length >= documents / 2;
    });
  }

  /** Shards whose every document is also in another shard that is not redundant. */
  get redundant(): StoredShard[] {
    if (this.shards.length < 2) return [];
    return this.shards.filter((shard) => {
      const blobs = blobsIn(shard);
      return blobs.length > 0 && blobs.every((blob) => this.place(blob)?.shard !== shard);
    });
  }

  get nextNumber(): number {
    return 1 + Math.max(0, ...this.shards.map(({ name }) => numberOf(name)));
  }
}
