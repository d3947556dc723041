import { mkdirSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { answerCalls } from '@sextant/library-workers';
import { writeTrigrams } from './late-trigrams.ts';
import { ShardFiles } from './shard-files.ts';
import { ShardWriter } from './shard-writer.ts';

/** What a thread that builds is asked. */
export interface BuildCalls {
  /** Begins shards, numbered from here on; pieces of `git cat-file --batch` follow. */
  begin(shards: { readonly folder: string; readonly number: number; readonly withTrigrams: boolean }): void;
  /** Adds the trigrams of a shard that was built without. */
  addTrigrams(shard: { readonly folder: string; readonly name: string }): void;
  /** Takes a piece of an output from the memory for its pieces; answers how many objects have ended in it. */
  push(piece: { readonly output: number; readonly offset: number; readonly length: number }): number;
  /** Answers the names of the shards. Outputs that were cut may end in the middle of an object. */
  finish(cut: readonly number[]): readonly string[];
  abandon(argument: undefined): void;
}

/** Memory for each output of git. */
export interface BuildThreadData {
  readonly pieces: readonly SharedArrayBuffer[];
}

const { pieces }: BuildThreadData = workerData;
/** Of the build that runs. */
let writer: ShardWriter | undefined;

answerCalls<BuildCalls>({
  begin: (shards) => {
    mkdirSync(shards.folder, { recursive: true, mode: 0o700 });
    writer = new ShardWriter(shards);
  },
  addTrigrams: ({ folder, name }) => writeTrigrams(new ShardFiles(folder, name)),
  push: ({ output, offset, length }) => {
    const memory = pieces[output];
    return (memory && writer?.push(new Uint8Array(memory, offset, length), output)) ?? 0;
  },
  finish: (cut) => {
    // Where this fails the writer is still there, to be abandoned.
    const names = writer?.finish(cut) ?? [];
    writer = undefined;
    return names;
  },
  abandon: () => {
    writer?.abandon();
    writer = undefined;
  },
});
