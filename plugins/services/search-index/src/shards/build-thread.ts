import { mkdirSync } from 'node:fs';
import type { BlobBatch } from '@sextant/contracts';
import { answerCalls } from '@sextant/library-workers/thread';
import { ShardWriter } from './shard-writer.ts';

/** The calls that a build thread answers. */
export interface BuildCalls {
  /** Begins shards, numbered from here on; batches of blobs follow. */
  begin(shards: { readonly folder: string; readonly number: number }): void;
  /** Adds blobs. */
  add(batch: BlobBatch): void;
  /** Answers the names of the shards. */
  finish(argument: undefined): readonly string[];
  abandon(argument: undefined): void;
}

/** Of the build that runs. */
let writer: ShardWriter | undefined;

answerCalls<BuildCalls>({
  begin: (shards) => {
    mkdirSync(shards.folder, { recursive: true, mode: 0o700 });
    writer = new ShardWriter(shards);
  },
  add: (batch) => writer?.add(batch),
  finish: () => {
    // Where this fails the writer is still there, to be abandoned.
    const names = writer?.finish() ?? [];
    writer = undefined;
    return names;
  },
  abandon: () => {
    writer?.abandon();
    writer = undefined;
  },
});
