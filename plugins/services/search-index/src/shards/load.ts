import { closeSync, fstatSync, openSync } from 'node:fs';
import { messageOf } from '@sextant/core';
import type { DataFileProblem } from '@sextant/core';
import {
  DamagedShardError,
  fileSource,
  memorySource,
  replaceFile,
  ResidentContent,
  Shard,
  ShardBuilder,
  ShardVersionError,
} from '@sextant/library-block-index';
import type { Workspace } from '@sextant/library-block-index';

/** Reads the file of a shard into the memory in which it is searched. Throws DamagedShardError, LimitError, and ENOENT where there is none. */
export function readShard(workspace: Workspace, path: string): Shard {
  const descriptor = openSync(path, 'r');
  try {
    const { size: bytes } = fstatSync(descriptor);
    return Shard.read(workspace, { bytes, read: fileSource(descriptor) });
  } finally {
    closeSync(descriptor);
  }
}

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

interface PathsInMemory {
  readonly shard: Shard;
  /** Of the text. */
  readonly address: number;
}

/** Loads paths and their index into the memory in which they are searched. */
export function loadPaths(workspace: Workspace, { text, file }: PathText): PathsInMemory {
  if (file === undefined) return withText(workspace, Shard.load(workspace, indexOf(text)), text);
  try {
    return withText(workspace, readShard(workspace, file), text);
  } catch (error) {
    if (!isUnusable(error)) throw error;
  }
  const index = indexOf(text);
  try {
    replaceFile(file, index);
  } catch {
    // It is built again after the next start; a full disk is reported by what must be written.
  }
  return withText(workspace, Shard.load(workspace, index), text);
}

function indexOf(text: Uint8Array): Uint8Array {
  const builder = new ShardBuilder();
  builder.add(text);
  return builder.finish();
}

/** Loads the text beside its index. Throws DamagedShardError if the checksums of the index are of another text. */
function withText(workspace: Workspace, shard: Shard, text: Uint8Array): PathsInMemory {
  try {
    if (shard.contentBytes !== text.length) throw new DamagedShardError('the index is of other paths');
    return { shard, address: ResidentContent.load(workspace, shard, memorySource(text)).address };
  } catch (error) {
    shard.release(workspace);
    throw error;
  }
}
