import { mkdirSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { BlobBatch } from '@sextant/contracts';
import { answerCalls } from '../pool/calls.ts';
import { keepKeys } from './keep-keys.ts';
import { ShardFiles } from './shard-files.ts';
import { ShardWriter } from './shard-writer.ts';

/** What a thread that builds is asked for; each is answered, in order. */
export type BuildRequest =
  /** Begins shards, numbered from here on; batches of blobs follow. */
  | { readonly kind: 'begin'; readonly folder: string; readonly number: number; readonly withTrigrams: boolean }
  /** Builds the keys of a shard that is there without. */
  | { readonly kind: 'keys'; readonly folder: string; readonly name: string }
  /** Adds blobs. */
  | { readonly kind: 'blobs'; readonly batch: BlobBatch }
  /** Answers the names of the shards. */
  | { readonly kind: 'finish' }
  | { readonly kind: 'abandon' };

/** Builds shards of blobs, one build after the other. */
class BuildThread {
  #writer: ShardWriter | undefined;

  answer(request: BuildRequest): unknown {
    switch (request.kind) {
      case 'begin':
        mkdirSync(request.folder, { recursive: true, mode: 0o700 });
        this.#writer = new ShardWriter(request);
        return undefined;
      case 'blobs':
        return this.#writer?.add(request.batch);
      case 'keys':
        return keepKeys(new ShardFiles(request.folder, request.name));
      case 'finish':
        return this.#end((writer) => writer.finish());
      case 'abandon':
        return this.#end((writer) => writer.abandon());
    }
  }

  /** Where it fails it is still there, to be abandoned. */
  #end<T>(work: (writer: ShardWriter) => T): T | undefined {
    const result = this.#writer && work(this.#writer);
    this.#writer = undefined;
    return result;
  }
}

if (!parentPort) throw new Error('this runs in a thread');
const thread = new BuildThread();
answerCalls<BuildRequest>(parentPort, (request) => thread.answer(request));
