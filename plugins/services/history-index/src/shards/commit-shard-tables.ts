import { hash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { Identity } from '../git/commit-record.ts';

/** Raised, with that of the manifest, whenever files of before can no longer be read; what they hold is indexed again. */
const version = 3;
const checksumBytes = 32;

/** What a shard knows of its commits besides their text. Commits are numbered from 0, the newest first. */
export interface CommitShardTables {
  readonly version: number;
  /** Bytes of a hash. */
  readonly hashBytes: number;
  readonly hashes: Uint8Array;
  /** Committer dates in seconds since 1970. */
  readonly times: Float64Array;
  /** Commit → the first of its parents; one more for the end. */
  readonly parentStarts: Uint32Array;
  readonly parents: Uint8Array;
  /** Commit → its author's number. */
  readonly authors: Uint32Array;
  readonly people: readonly Identity[];
  /** Commit → where its message begins; one more for the end. */
  readonly messageStarts: Uint32Array;
  /** 1: its changes could not be read, or are too many; 2: they are beyond the limits of git, which is not asked for them. */
  readonly isUnread: Uint8Array;
  /** Commit → the first of its changed paths; one more for the end. */
  readonly fileStarts: Uint32Array;
  /** Numbers of paths. */
  readonly files: Uint32Array;
  readonly paths: readonly string[];
  /** Text of changed lines → where it begins; one more for the end. */
  readonly textStarts: Uint32Array;
  /** Text of changed lines → its commit. */
  readonly textCommit: Uint32Array;
  /** Text of changed lines → twice its path's number, one more for added lines. */
  readonly textFile: Uint32Array;
  /** Where each compressed frame of hunks begins; one more for the end. */
  readonly frameStarts: Float64Array;
  /** Commit → its frame, and where in it its hunks stand. */
  readonly patchFrame: Uint32Array;
  readonly patchStart: Uint32Array;
  readonly patchEnd: Uint32Array;
}

export class DamagedTablesError extends Error {
  override readonly name = 'DamagedTablesError';
}

export function encodeTables(tables: Omit<CommitShardTables, 'version'>): Uint8Array {
  const bytes = zstdCompressSync(serialize({ ...tables, version }));
  return Buffer.concat([hash('sha256', bytes, 'buffer'), bytes]);
}

/** Throws DamagedTablesError, also for what another version wrote. */
export function decodeTables(bytes: Buffer): CommitShardTables {
  const content = bytes.subarray(checksumBytes);
  if (!hash('sha256', content, 'buffer').equals(bytes.subarray(0, checksumBytes)))
    throw new DamagedTablesError('the checksum of the tables of a shard is wrong');
  // What has its checksum was written by `encodeTables`; the version says whether by this one.
  const tables = deserialize(zstdDecompressSync(content)) as CommitShardTables;
  if (tables.version !== version) throw new DamagedTablesError('the tables of a shard are of another version');
  return tables;
}
