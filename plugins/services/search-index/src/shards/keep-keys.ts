import { closeSync, openSync, readFileSync } from 'node:fs';
import { addTrigrams } from '@sextant/library-block-index';
import { textReader } from './read-shard.ts';
import type { ShardFiles } from './shard-files.ts';

/** Writes a shard that was built without keys once more, with them. Throws DamagedShardError, and ENOENT where it was removed meanwhile. */
export function keepKeys(files: ShardFiles): void {
  const descriptor = openSync(files.text, 'r');
  try {
    const shard = readFileSync(files.shard);
    const keyed = addTrigrams(shard, textReader(descriptor));
    if (keyed !== shard) files.replaceShard(keyed);
  } finally {
    closeSync(descriptor);
  }
}
