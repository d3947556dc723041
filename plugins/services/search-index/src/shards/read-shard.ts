import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { DamagedShardError, Shard } from '@sextant/library-block-index';
import type { ReadContent, Workspace } from '@sextant/library-block-index';

/** Reads the file of a shard into the memory in which it is searched. Throws DamagedShardError, LimitError, and ENOENT where there is none. */
export function readShard(workspace: Workspace, path: string): Shard {
  const descriptor = openSync(path, 'r');
  try {
    const { size: bytes } = fstatSync(descriptor);
    return Shard.read(workspace, { bytes, read: (into, offset) => readFully(descriptor, into, offset) });
  } finally {
    closeSync(descriptor);
  }
}

/** Reads the text of a shard by position; less where it ends. */
export const textReader =
  (descriptor: number): ReadContent =>
  (offset, length) => {
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
  };

function readFully(descriptor: number, into: Uint8Array, offset: number): void {
  for (let at = 0; at < into.length; ) {
    const count = readSync(descriptor, into, at, into.length - at, offset + at);
    if (count === 0) throw new DamagedShardError(`the file of a shard ends after ${offset + at} bytes`);
    at += count;
  }
}

/** Whether a shard has to be built anew: it is damaged, of another version, or not there. */
export const isUnusable = (error: unknown): boolean =>
  error instanceof DamagedShardError || (error instanceof Error && 'code' in error && error.code === 'ENOENT');
