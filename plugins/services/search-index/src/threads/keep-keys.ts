import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { addKeys } from '@sextant/library-block-index';
import type { ShardFiles } from './shard-files.ts';

/** Writes a shard that was built without keys once more, with them. Throws DamagedShardError, and ENOENT where it was removed meanwhile. */
export function keepKeys(files: ShardFiles): void {
  const descriptor = openSync(files.text, 'r');
  try {
    const read = (offset: number, length: number): Uint8Array => {
      const bytes = Buffer.allocUnsafe(length);
      return bytes.subarray(0, readSync(descriptor, bytes, 0, length, offset));
    };
    files.replaceShard(addKeys(readFileSync(files.shard), read));
  } finally {
    closeSync(descriptor);
  }
}
