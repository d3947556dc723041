import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CommitColumns, Identity } from '@sextant/contracts';

/** Damaged tables cannot be decompressed. */
const withChecksum = { params: { [constants.ZSTD_c_checksumFlag]: 1 } };

/** Columns of a shard: everything about its commits but their texts. Commits are numbered from 0, the newest first. */
export interface CommitShardTables extends CommitColumns {
  /** Author dates in seconds since 1970. */
  readonly authored: Float64Array;
  /** Commit → index of its author in `people`. */
  readonly authors: Uint32Array;
  readonly people: readonly Identity[];
  /** Commit → offset of its message; one entry more for the end. */
  readonly messageStarts: Uint32Array;
  /** Commit → index of the state of its changes in `changeStates`. */
  readonly isUnread: Uint8Array;
  /** Commit → index of its first changed path in `files`; one entry more for the end. */
  readonly fileStarts: Uint32Array;
  /** Indexes in `paths`. */
  readonly files: Uint32Array;
  readonly paths: readonly string[];
  /** Changed text → its offset; one entry more for the end. */
  readonly textStarts: Uint32Array;
  /** Changed text → its commit. */
  readonly textCommit: Uint32Array;
  /** Changed text → twice the index of its path, plus one for added lines. */
  readonly textFile: Uint32Array;
  /** Compressed frame of hunks → its offset; one entry more for the end. */
  readonly frameStarts: Float64Array;
  /** Commit → its frame, and the range of its hunks in the decompressed frame. */
  readonly patchFrame: Uint32Array;
  readonly patchStart: Uint32Array;
  readonly patchEnd: Uint32Array;
}

export class DamagedTablesError extends Error {
  override readonly name = 'DamagedTablesError';
}

export const encodeTables = (tables: CommitShardTables): Uint8Array =>
  zstdCompressSync(serialize(tables), withChecksum);

/** Throws DamagedTablesError. */
export function decodeTables(bytes: Buffer): CommitShardTables {
  try {
    // What can be decompressed was written by `encodeTables`; of which version, the manifest says.
    return deserialize(zstdDecompressSync(bytes)) as CommitShardTables;
  } catch (error) {
    throw new DamagedTablesError('the tables of a shard are damaged', { cause: error });
  }
}
