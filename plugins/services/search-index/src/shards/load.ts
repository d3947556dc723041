import { messageOf } from '@sextant/core';
import type { DataFileProblem } from '@sextant/core';
import {
  DamagedShardError,
  memorySource,
  replaceFile,
  ResidentContent,
  Shard,
  ShardBuilder,
  ShardVersionError,
} from '@sextant/library-block-index';
import type { Workspace } from '@sextant/library-block-index';
import type { LoadedPaths } from './loaded-shard.ts';

/** Whether a shard has to be built again: it is damaged, of another version, or not there. */
export const isUnusable = (error: unknown): boolean =>
  error instanceof DamagedShardError || (error instanceof Error && 'code' in error && error.code === 'ENOENT');

export const problemOf = (error: unknown): DataFileProblem => ({
  isOfOtherVersion: error instanceof ShardVersionError,
  reason: messageOf(error),
});

export interface PathText {
  /** A path a line. */
  readonly text: Uint8Array;
  /** The file with the index of the paths, if it is stored: reading it is faster than building it. */
  readonly file?: string;
}

/** Loads paths and their index into the memory in which they are searched. */
export function loadPaths(workspace: Workspace, { text, file }: PathText): LoadedPaths {
  if (file !== undefined)
    try {
      return withText(workspace, Shard.readFile(workspace, file), text);
    } catch (error) {
      if (!isUnusable(error)) throw error;
    }
  const builder = new ShardBuilder();
  builder.add(text);
  const index = builder.finish();
  if (file !== undefined)
    try {
      replaceFile(file, index);
    } catch {
      // It is built again after the next start; a full disk is reported by what must be written.
    }
  return withText(workspace, Shard.load(workspace, index), text);
}

/** Loads the text beside its index. Throws DamagedShardError if the checksums of the index are of another text. */
function withText(workspace: Workspace, shard: Shard, text: Uint8Array): LoadedPaths {
  try {
    if (shard.contentBytes !== text.length) throw new DamagedShardError('the index is of other paths');
    return { handle: shard.handle, address: ResidentContent.load(workspace, shard, memorySource(text)).address };
  } catch (error) {
    shard.release(workspace);
    throw error;
  }
}
