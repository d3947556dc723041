import { DamagedShardError, ResidentContent, Shard, ShardBuilder } from '@sextant/library-block-index';
import type { Workspace } from '@sextant/library-block-index';
import { isUnusable, readShard } from '../shards/read-shard.ts';
import { replaceFile } from '../shards/replace-file.ts';

export interface PathText {
  /** A path a line. */
  readonly text: Uint8Array;
  /** Where its index is kept, if it is: reading it takes a tenth of the time of building it. */
  readonly file?: string;
}

interface PathsInMemory {
  readonly shard: Shard;
  /** Of the text. */
  readonly address: number;
}

/** Loads paths and their index into the memory in which they are searched. */
export function loadPaths(workspace: Workspace, { text, file }: PathText): PathsInMemory {
  if (file === undefined) return attachText(workspace, Shard.load(workspace, indexOf(text)), text);
  try {
    return attachText(workspace, readShard(workspace, file), text);
  } catch (error) {
    if (!isUnusable(error)) throw error;
  }
  const index = indexOf(text);
  keep(index, file);
  return attachText(workspace, Shard.load(workspace, index), text);
}

function indexOf(text: Uint8Array): Uint8Array {
  const builder = new ShardBuilder();
  builder.add(text);
  return builder.finish();
}

/** Throws DamagedShardError where the index is of another text: it has the sums of all blocks. */
function attachText(workspace: Workspace, shard: Shard, text: Uint8Array): PathsInMemory {
  try {
    if (shard.contentBytes !== text.length) throw new DamagedShardError('the index is of other paths');
    const read = (offset: number, length: number): Uint8Array => text.subarray(offset, offset + length);
    return { shard, address: ResidentContent.load(workspace, shard, read).address };
  } catch (error) {
    shard.release(workspace);
    throw error;
  }
}

function keep(index: Uint8Array, file: string): void {
  try {
    replaceFile(file, index);
  } catch {
    // It is built again after the next start; a disk that is full is told of by what must be written.
  }
}
