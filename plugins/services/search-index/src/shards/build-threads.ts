import { availableParallelism } from 'node:os';
import { BoundedWorker } from '@sextant/library-workers';
import { ThreadCalls } from '../pool/calls.ts';
import { threadURL } from '../pool/thread-url.ts';
import type { BuildRequest, BuildThreadData } from './build-thread.ts';
import type { BlobOutput } from './objects.ts';
import { memoryForPieces, PieceSender } from './piece-sender.ts';
import type { IsOver } from './turns.ts';

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
  readonly #free: BuildThread[] = [];
  readonly #all = new Set<BuildThread>();

  constructor(heapMegabytes = defaultHeapMegabytes) {
    this.#heapMegabytes = heapMegabytes;
  }

  /** Builds shards. Nothing is left of them when the pieces fail. */
  build(options: BuildOptions): Promise<BuiltShards> {
    return this.#withThread((thread) => thread.build(options));
  }

  /** Builds the keys of a shard. */
  addTrigrams(folder: string, name: string): Promise<void> {
    return this.#withThread((thread) => thread.addTrigrams(folder, name));
  }

  async #withThread<T>(work: (thread: BuildThread) => Promise<T>): Promise<T> {
    const thread = this.#free.pop() ?? this.#start();
    thread.keep();
    try {
      return await work(thread);
    } finally {
      // One that died, of a repository that is too much for it, is nobody's any more.
      if (thread.hasEnded) this.#all.delete(thread);
      else {
        this.#free.push(thread);
        thread.endAfter(idleMs, () => this.#forget(thread));
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #start(): BuildThread {
    const thread = new BuildThread(this.#heapMegabytes);
    this.#all.add(thread);
    return thread;
  }

  #forget(thread: BuildThread): void {
    this.#all.delete(thread);
    const at = this.#free.indexOf(thread);
    if (at >= 0) this.#free.splice(at, 1);
  }
}

class BuildThread {
  readonly #memories = Array.from({ length: mostOutputs }, memoryForPieces);
  readonly #worker: BoundedWorker;
  readonly #calls: ThreadCalls<BuildRequest>;
  #ending: NodeJS.Timeout | undefined;

  constructor(heapMegabytes: number) {
    const workerData: BuildThreadData = { pieces: this.#memories };
    this.#worker = new BoundedWorker(threadURL('shards/build-thread'), { workerData, heapMegabytes });
    this.#calls = new ThreadCalls(this.#worker);
  }

  get hasEnded(): boolean {
    return this.#calls.haveEnded;
  }

  addTrigrams(folder: string, name: string): Promise<void> {
    return this.#calls.call({ kind: 'keys', folder, name });
  }

  async build({ folder, number, withTrigrams, ...building }: BuildOptions): Promise<BuiltShards> {
    await this.#calls.call({ kind: 'begin', folder, number, withTrigrams });
    try {
      const sent = await Promise.allSettled(building.outputs.map((_, output) => this.#send(output, building)));
      // Only when all have ended: the thread may be another's then.
      const left = sent.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        return each.value;
      });
      const cut = [...left.keys()].filter((output) => left[output] !== undefined);
      const names = await this.#calls.call<string[]>({ kind: 'finish', cut });
      return { names, left: left.flatMap((ids) => ids ?? []) };
    } catch (error) {
      if (!this.hasEnded) await this.#calls.call({ kind: 'abandon' });
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
      const count = await this.#calls.call<number>({ kind: 'piece', output, ...part });
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

  keep(): void {
    clearTimeout(this.#ending);
  }

  endAfter(milliseconds: number, onEnd: () => void): void {
    this.#ending = setTimeout(() => {
      onEnd();
      void this.end();
    }, milliseconds).unref();
  }

  async end(): Promise<void> {
    this.keep();
    await this.#worker.terminate();
  }
}
