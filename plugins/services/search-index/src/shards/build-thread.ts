import { mkdirSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../pool/calls.ts';
import { keepKeys } from './keep-keys.ts';
import { ShardFiles } from './shard-files.ts';
import { ShardWriter } from './shard-writer.ts';

/** What a thread that builds is asked for; each is answered, in order. */
export type BuildRequest =
  /** Begins shards, numbered from here on; pieces of `git cat-file --batch` follow. */
  | { readonly kind: 'begin'; readonly folder: string; readonly number: number; readonly withTrigrams: boolean }
  /** Builds the keys of a shard that is there without. */
  | { readonly kind: 'keys'; readonly folder: string; readonly name: string }
  /** A piece of an output in the memory for its pieces; answers how many objects have ended in it. */
  | { readonly kind: 'piece'; readonly output: number; readonly offset: number; readonly length: number }
  /** Answers the names of the shards. Outputs that were cut may end in the middle of an object. */
  | { readonly kind: 'finish'; readonly cut: readonly number[] }
  | { readonly kind: 'abandon' };

/** Memory for each output of git. */
export interface BuildThreadData {
  readonly pieces: readonly SharedArrayBuffer[];
}

/** Builds shards of the objects that git prints, one build after the other. */
class BuildThread {
  readonly #pieces: readonly SharedArrayBuffer[];
  #writer: ShardWriter | undefined;

  constructor({ pieces }: BuildThreadData) {
    this.#pieces = pieces;
  }

  answer(request: BuildRequest): unknown {
    switch (request.kind) {
      case 'begin':
        mkdirSync(request.folder, { recursive: true, mode: 0o700 });
        this.#writer = new ShardWriter(request);
        return undefined;
      case 'piece':
        return this.#push(request);
      case 'keys':
        return keepKeys(new ShardFiles(request.folder, request.name));
      case 'finish':
        return this.#end((writer) => writer.finish(request.cut));
      case 'abandon':
        return this.#end((writer) => writer.abandon());
    }
  }

  #push({ output, offset, length }: Extract<BuildRequest, { kind: 'piece' }>): number | undefined {
    const memory = this.#pieces[output];
    return memory && this.#writer?.push(new Uint8Array(memory, offset, length), output);
  }

  /** Where it fails it is still there, to be abandoned. */
  #end<T>(work: (writer: ShardWriter) => T): T | undefined {
    const result = this.#writer && work(this.#writer);
    this.#writer = undefined;
    return result;
  }
}

if (!parentPort) throw new Error('this runs in a thread');
// What is given to a thread has lost its type.
const thread = new BuildThread(workerData as BuildThreadData);
answerCalls<BuildRequest>(parentPort, (request) => thread.answer(request));
