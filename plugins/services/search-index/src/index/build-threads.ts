import { Worker } from 'node:worker_threads';
import { ThreadCalls } from '../threads/calls.ts';
import type { BuildRequest, BuildThreadData } from '../threads/protocol.ts';
import { memoryForPieces, PieceSender } from './piece-sender.ts';
import { threadURL } from './thread-url.ts';

export interface BuildOptions {
  readonly folder: string;
  /** The number of the first shard; more follow where the text is too much for one. */
  readonly number: number;
  /** Without, it is there sooner, and searched more slowly until they are added. */
  readonly withKeys: boolean;
  /** The output of `git cat-file --batch`. Nobody else may use them. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Told how many more objects are done. */
  readonly onObjects: (count: number) => void;
}

/** A thread that has nothing to do for so long ends, and gives its memory back. */
const idleMs = 5000;

/** Threads that build shards: as many as build at once, for as long as they do. */
export class BuildThreads {
  readonly #free: BuildThread[] = [];
  readonly #all = new Set<BuildThread>();

  /** Builds shards; returns their names. Nothing is left of them when the pieces fail. */
  build(options: BuildOptions): Promise<string[]> {
    return this.#withThread((thread) => thread.build(options));
  }

  /** Builds the keys of a shard. */
  addKeys(folder: string, name: string): Promise<void> {
    return this.#withThread((thread) => thread.addKeys(folder, name));
  }

  async #withThread<T>(work: (thread: BuildThread) => Promise<T>): Promise<T> {
    const thread = this.#free.pop() ?? this.#start();
    thread.keep();
    try {
      return await work(thread);
    } finally {
      this.#free.push(thread);
      thread.endAfter(idleMs, () => this.#forget(thread));
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  #start(): BuildThread {
    const thread = new BuildThread();
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
  readonly #memory = memoryForPieces();
  readonly #worker: Worker;
  readonly #calls: ThreadCalls<BuildRequest>;
  #ending: NodeJS.Timeout | undefined;

  constructor() {
    const workerData: BuildThreadData = { pieces: this.#memory };
    this.#worker = new Worker(threadURL('build-thread'), { workerData });
    this.#calls = new ThreadCalls(this.#worker);
  }

  addKeys(folder: string, name: string): Promise<void> {
    return this.#calls.call({ kind: 'keys', folder, name });
  }

  async build({ folder, number, withKeys, pieces, onObjects }: BuildOptions): Promise<string[]> {
    await this.#calls.call({ kind: 'begin', folder, number, withKeys });
    try {
      const sender = new PieceSender(this.#memory, async (part) =>
        onObjects(await this.#calls.call<number>({ kind: 'piece', ...part })),
      );
      for await (const piece of pieces) await sender.push(piece);
      await sender.end();
      return await this.#calls.call<string[]>({ kind: 'finish' });
    } catch (error) {
      await this.#calls.call({ kind: 'abandon' });
      throw error;
    }
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
