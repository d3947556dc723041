import { fileSource, pathSource } from '@sextant/library-block-index';
import type { ByteSource, ShardHandle } from '@sextant/library-block-index';

/** A shard in the memory that all threads share. The index thread loads it; any thread reads it. */
export interface LoadedShard {
  /** Of its files. */
  readonly name: string;
  readonly handle: ShardHandle;
  readonly content: ContentPlace;
  /** Number of documents. */
  readonly documents: number;
}

/** Where the text of a shard is. */
export interface ContentPlace {
  readonly path: string;
  /** The open file, which stays open as long as a search may read from it; undefined where too many are open, and each search opens it. */
  readonly descriptor: number | undefined;
  /** Shared memory of one number: the address of the text, 0 while it is only on disk. */
  readonly address: Uint32Array;
}

export const sourceOf = ({ path, descriptor }: ContentPlace): ByteSource =>
  descriptor === undefined ? pathSource(path) : fileSource(descriptor);

/** A loaded shard with its table. */
export interface StoredShard extends LoadedShard {
  /** The bytes of its table, whose checksum is right: `unpackTable` reads them when they are needed. */
  readonly table: Uint8Array;
  /** Memory of its index. */
  readonly memoryBytes: number;
}

/** The paths of a snapshot as one indexed document, a path per line. */
export interface LoadedPaths {
  readonly handle: ShardHandle;
  /** Of their text. */
  readonly address: number;
}

/** The files of a shard do not match their checksums: it must be built again. */
export class DamagedIndexError extends Error {
  override readonly name = 'DamagedIndexError';
  readonly shard: string;

  constructor(shard: string, cause?: Error) {
    super(`the index ${shard} is damaged${cause ? `: ${cause.message}` : ''}`, { cause });
    this.shard = shard;
  }
}
