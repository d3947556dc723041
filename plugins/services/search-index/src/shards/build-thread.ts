import { mkdirSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../pool/calls.ts';
import { keepKeys } from './keep-keys.ts';
import type { BuildRequest, BuildThreadData } from '../pool/protocol.ts';
import { ShardFiles } from './shard-files.ts';
import { ShardWriter } from './shard-writer.ts';

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
