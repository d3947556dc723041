import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ArenaPart } from '@sextant/library-block-index';
import { ThreadCalls, ThreadError } from '../threads/calls.ts';
import type { DroppedShard, IndexRequest, LoadedPaths, StoredShard } from '../threads/protocol.ts';
import { DamagedIndexError } from './index-failure.ts';
import { Turns } from './turns.ts';

export interface BuildOptions {
  readonly folder: string;
  /** The number of the first shard; more follow where the text is too much for one. */
  readonly number: number;
  /** The output of `git cat-file --batch`. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Whether someone waits for it. */
  readonly isUrgent: boolean;
  /** Told how many more objects are done. */
  readonly onObjects: (count: number) => void;
}

/** While a plugin is replaced there are two indexes: texts shall not be in memory twice. */
let lastClosed: Promise<void> = Promise.resolve();

/** The thread that builds and loads shards, and the memory that it shares with those that search. */
export class SharedIndex {
  readonly #worker: Worker;
  readonly #calls: ThreadCalls<IndexRequest>;
  readonly #turns = new Turns();
  /** Resolves when the instance before this one, if there is one, has given its memory back. */
  readonly #before = lastClosed;
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;

  constructor(memoryBytes: number) {
    this.#worker = new Worker(threadURL('index-thread'), { workerData: { memoryBytes } });
    this.#calls = new ThreadCalls(this.#worker);
    const before = this.#before;
    lastClosed = this.#closed.promise.then(() => before);
  }

  /** Reserves the memory, with a part for each thread that searches. */
  open(threads: number): Promise<ArenaPart[]> {
    return this.#calls.call<ArenaPart[]>({ kind: 'open', threads });
  }

  load(folder: string): Promise<StoredShard[]> {
    return this.#turns.run(() => this.#calls.call<StoredShard[]>({ kind: 'load', folder }), 'patient');
  }

  /** Builds shards and loads them; nothing is left of them when the pieces fail. */
  build({ folder, number, pieces, isUrgent, onObjects }: BuildOptions): Promise<StoredShard[]> {
    return this.#turns.run(
      async () => {
        await this.#calls.call({ kind: 'begin', folder, number });
        try {
          // One piece is read while the one before is worked on, and no more are in memory.
          let before: Promise<unknown> = Promise.resolve();
          for await (const piece of pieces) {
            await before;
            const bytes = Uint8Array.from(piece);
            before = this.#calls.call<number>({ kind: 'piece', bytes }, [bytes.buffer]).then(onObjects);
            before.catch(() => undefined);
          }
          await before;
          return await this.#calls.call<StoredShard[]>({ kind: 'finish' });
        } catch (error) {
          await this.#calls.call({ kind: 'abandon' });
          throw error;
        }
      },
      isUrgent ? 'urgent' : 'patient',
    );
  }

  paths(text: Uint8Array): Promise<LoadedPaths> {
    return this.#calls.call<LoadedPaths>({ kind: 'paths', text });
  }

  release(addresses: readonly number[]): Promise<void> {
    return this.#calls.call({ kind: 'release', addresses });
  }

  /** Loads the text of a shard into memory, when nothing else is to be done. Throws DamagedIndexError. */
  async warm({ name, loaded }: StoredShard): Promise<void> {
    await this.#before;
    const warm = (): Promise<boolean> => this.#calls.call<boolean>({ kind: 'warm', shard: loaded.handle.address });
    try {
      for (let isDone = false; !isDone && !this.#isClosed; ) isDone = await this.#turns.run(warm, 'idle');
    } catch (error) {
      throw error instanceof ThreadError && error.reason === 'DamagedShardError' ? new DamagedIndexError(name) : error;
    }
  }

  /** Releases shards and removes their files. */
  drop(folder: string, shards: readonly DroppedShard[]): Promise<void> {
    return this.#calls.call({ kind: 'drop', folder, shards: shards.map(({ name, loaded }) => ({ name, loaded })) });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker.terminate();
    this.#closed.resolve();
  }
}

/** A thread's module, in TypeScript here and in JavaScript where the package is built. */
export const threadURL = (name: string): URL =>
  new URL(`../threads/${name}${extname(import.meta.url)}`, import.meta.url);
