import { availableParallelism } from 'node:os';
import { Thread } from '@sextant/library-workers';
import type { BuildCalls, BuildThreadData } from './build-thread.ts';
import type { BlobOutput } from './objects.ts';
import { memoryForPieces, PieceSender } from './piece-sender.ts';
import type { IsOver } from './index-scheduler.ts';

export interface BuildOptions {
  readonly folder: string;
  /** The number of the first shard; more follow where the text is too much for one. */
  readonly number: number;
  /** Without, it is there sooner, and searched more slowly until they are added. */
  readonly withTrigrams: boolean;
  /** At most `mostOutputs`. Nobody else may use their pieces. */
  readonly outputs: readonly BlobOutput[];
  /** Where it is, the build ends after the next blob. */
  readonly isOver: IsOver;
  /** Told how many more objects are done. */
  readonly onObjects: (count: number) => void;
}

export interface BuiltShards {
  readonly names: readonly string[];
  /** Blobs that are to be built yet. */
  readonly left: readonly string[];
}

/** Of the heap of a thread: more than the files of a repository need that the index accepts. */
const defaultHeapMegabytes = 2048;

/** Outputs of git that a thread takes at once. */
export const mostOutputs = Math.min(4, availableParallelism());

/** A thread that has nothing to do for so long ends, and gives its memory back. */
const idleMs = 5000;

/** Threads that build shards: as many as build at once, for as long as they do. */
export class BuildThreads {
  readonly #heapMegabytes: number;
  /** Whether each builds now. */
  readonly #threads = new Map<BuildThread, boolean>();

  constructor(heapMegabytes = defaultHeapMegabytes) {
    this.#heapMegabytes = heapMegabytes;
  }

  /** Builds shards. Nothing is left of them when the pieces fail. */
  build(options: BuildOptions): Promise<BuiltShards> {
    return this.#withThread((thread) => thread.build(options));
  }

  /** Adds the trigrams of a shard. */
  addTrigrams(folder: string, name: string): Promise<void> {
    return this.#withThread((thread) => thread.addTrigrams(folder, name));
  }

  async #withThread<T>(work: (thread: BuildThread) => Promise<T>): Promise<T> {
    const [free] = [...this.#threads].flatMap(([thread, isBusy]) => (isBusy ? [] : [thread]));
    const thread = free ?? new BuildThread(this.#heapMegabytes, (ended) => this.#threads.delete(ended));
    this.#threads.set(thread, true);
    try {
      return await thread.during(() => work(thread));
    } finally {
      // One that died of a repository that is too much for it is not used again.
      if (this.#threads.has(thread)) this.#threads.set(thread, false);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads.keys()].map((thread) => thread.close()));
  }
}

class BuildThread {
  readonly #memories = Array.from({ length: mostOutputs }, memoryForPieces);
  readonly #thread: Thread<BuildCalls>;

  constructor(heapMegabytes: number, onEnd: (ended: BuildThread) => void) {
    const data: BuildThreadData = { pieces: this.#memories };
    const module = new URL('./build-thread.ts', import.meta.url);
    this.#thread = new Thread({ module, data, heapMegabytes, idleMs, onEnd: () => onEnd(this) });
  }

  during<T>(work: () => Promise<T>): Promise<T> {
    return this.#thread.during(work);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  addTrigrams(folder: string, name: string): Promise<void> {
    return this.#thread.call('addTrigrams', { folder, name });
  }

  async build({ folder, number, withTrigrams, ...building }: BuildOptions): Promise<BuiltShards> {
    await this.#thread.call('begin', { folder, number, withTrigrams });
    try {
      const sent = await Promise.allSettled(building.outputs.map((_, output) => this.#send(output, building)));
      // Only when all have ended: the thread may be another's then.
      const left = sent.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        return each.value;
      });
      const cut = [...left.keys()].filter((output) => left[output] !== undefined);
      const names = await this.#thread.call('finish', cut);
      return { names, left: left.flatMap((ids) => ids ?? []) };
    } catch (error) {
      if (!this.#thread.hasEnded) await this.#thread.call('abandon', undefined);
      throw error;
    }
  }

  /** Answers which blobs of an output are left, undefined where it was not cut. */
  async #send(
    output: number,
    { outputs, isOver, onObjects }: Pick<BuildOptions, 'outputs' | 'isOver' | 'onObjects'>,
  ): Promise<readonly string[] | undefined> {
    const [memory, { ids, pieces } = { ids: [], pieces: [] }] = [this.#memories[output], outputs[output]];
    if (!memory) throw new Error(`a thread takes ${mostOutputs} outputs of git at once`);
    let done = 0;
    const sender = new PieceSender(memory, async (part) => {
      const count = await this.#thread.call('push', { output, ...part });
      done += count;
      onObjects(count);
    });
    let isCut = false;
    for await (const piece of pieces) {
      await sender.push(piece);
      if (!isOver()) continue;
      await sender.end();
      // Each time something is done, so that there is an end.
      isCut = done > 0;
      if (isCut) break;
    }
    await sender.end();
    return isCut && done < ids.length ? ids.slice(done) : undefined;
  }
}
