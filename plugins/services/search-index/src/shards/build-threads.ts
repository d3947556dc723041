import { availableParallelism } from 'node:os';
import type { BlobBatch } from '@sextant/contracts';
import { BoundedWorker } from '@sextant/library-workers';
import { ThreadCalls } from '../pool/calls.ts';
import type { BlobOutput } from '../indexing/repository-reader.ts';
import { threadURL } from '../pool/thread-url.ts';
import type { BuildRequest } from './build-thread.ts';
import type { IsOver } from './turns.ts';

export interface BuildOptions {
  readonly folder: string;
  /** The number of the first shard; more follow where the text is too much for one. */
  readonly number: number;
  /** Without, it is there sooner, and searched more slowly until they are added. */
  readonly withTrigrams: boolean;
  /** Their batches are transferred to the thread. */
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

/** Outputs of git that are worth being read at once for one thread. */
export const mostOutputs = Math.min(4, availableParallelism());

/** Batches of one output that a thread may have beside the one that is being read. */
const mostAhead = 2;

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

  /** Builds shards. Nothing is left of them when the batches fail. */
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
  readonly #worker: BoundedWorker;
  readonly #calls: ThreadCalls<BuildRequest>;
  #ending: NodeJS.Timeout | undefined;

  constructor(heapMegabytes: number) {
    this.#worker = new BoundedWorker(threadURL('shards/build-thread'), { heapMegabytes });
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
      const sent = await Promise.allSettled(building.outputs.map((output) => this.#send(output, building)));
      // Only when all have ended: the thread may be another's then.
      const left = sent.map((each) => {
        if (each.status === 'rejected') throw each.reason;
        return each.value;
      });
      const names = await this.#calls.call<string[]>({ kind: 'finish' });
      return { names, left: left.flat() };
    } catch (error) {
      if (!this.hasEnded) await this.#calls.call({ kind: 'abandon' });
      throw error;
    }
  }

  /** Answers which blobs of an output are left because others have their turn. */
  async #send(
    { ids, batches }: BlobOutput,
    { isOver, onObjects }: Pick<BuildOptions, 'isOver' | 'onObjects'>,
  ): Promise<readonly string[]> {
    let done = 0;
    const sent: Promise<void>[] = [];
    for await (const batch of batches) {
      await sent.at(-mostAhead);
      done += batch.ids.length;
      const added = this.#add(batch, onObjects);
      // Whoever waits for this batch, or for the end, is told.
      added.catch(() => undefined);
      sent.push(added);
      if (isOver()) break;
    }
    await Promise.all(sent.slice(-mostAhead));
    return ids.slice(done);
  }

  async #add(batch: BlobBatch, onObjects: (count: number) => void): Promise<void> {
    const { length } = batch.ids;
    await this.#calls.call({ kind: 'blobs', batch }, [batch.bytes.buffer]);
    onObjects(length);
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
