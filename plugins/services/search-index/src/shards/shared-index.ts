import { availableParallelism } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { SextantError } from '@sextant/core';
import { DamagedShardError } from '@sextant/library-block-index';
import { Thread, ThreadError } from '@sextant/library-workers';
import type { PathText } from '../snapshot/load-paths.ts';
import { BuildThreads } from './build-threads.ts';
import type { BuildOptions, BuiltShards } from './build-threads.ts';
import type { IndexCalls, IndexThreadData } from './index-thread.ts';
import { DamagedIndexError, hasTrigrams } from './loaded-shard.ts';
import type { LoadedPaths, StoredShard } from './loaded-shard.ts';
import { Turns } from './turns.ts';
import type { Kind } from './turns.ts';

export interface IndexOptions extends Omit<BuildOptions, 'isOver'> {
  /** Whether someone waits for it. */
  readonly isUrgent: boolean;
  /** Whether it had a turn before. */
  readonly isContinued: boolean;
}

export interface BuiltAndLoaded extends Pick<BuiltShards, 'left'> {
  readonly shards: readonly StoredShard[];
}

/** The end of the thread that nobody asked for. */
export interface Death {
  readonly error: Error;
  /** Of the repository that it worked at, where it did. */
  readonly folder: string | undefined;
}

/** Repositories that are built at once: each takes a processor, and some hundred megabytes. */
const buildsAtOnce = Math.min(4, availableParallelism());

/** So long a shard that was built without keys stays without, unless a question needs them. */
const keysAfterMs = 500;

/** Most of the memory that one of several repositories may have: the rest stays for the others. */
const mostOfOne = 3 / 4;

/** Why the files of a shard are not what was written. */
const damage: ReadonlySet<string> = new Set([DamagedShardError.name, 'DamagedIndexError']);

/** What became of a shard, with its name where its files are not what was written. */
const naming = ({ name }: StoredShard, work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    throw error instanceof ThreadError && damage.has(error.code) ? new DamagedIndexError(name) : error;
  });

/** While a plugin is replaced there are two indexes: texts shall not be in memory twice. */
let lastClosed: Promise<void> = Promise.resolve();

/** The threads that build shards, the one that loads them, and the memory that it shares with those that search. */
export class SharedIndex {
  readonly #memory: WebAssembly.Memory;
  readonly #thread: Thread<IndexCalls>;
  readonly #builders = new BuildThreads();
  readonly #turns = new Turns(buildsAtOnce);
  /** Bytes of the shards of each repository, by its folder. */
  readonly #taken = new Map<string, number>();
  readonly #mostOfOne: number;
  /** Shards whose keys are being built. */
  readonly #adding = new Map<StoredShard, Promise<void>>();
  /** Resolves when the instance before this one, if there is one, has given its memory back. */
  readonly #before = lastClosed;
  readonly #closed = Promise.withResolvers<void>();
  readonly #warming = Promise.withResolvers<void>();
  readonly #died = Promise.withResolvers<Death>();
  #isClosed = false;

  constructor(workerData: IndexThreadData) {
    this.#memory = workerData.part.memory;
    this.#mostOfOne = workerData.part.bytes * mostOfOne;
    this.#thread = new Thread({
      module: new URL('./index-thread.ts', import.meta.url),
      data: workerData,
      onEnd: ({ error, call }) => {
        const argument = call?.argument;
        const isOfFolder = typeof argument === 'object' && argument !== null && 'folder' in argument;
        this.#died.resolve({ error, folder: isOfFolder ? String(argument.folder) : undefined });
      },
    });
    const before = this.#before;
    lastClosed = this.#closed.promise.then(() => before);
  }

  async load(folder: string): Promise<StoredShard[]> {
    this.#count(folder, []);
    const shards = await this.#turns.run(() => this.#thread.call('load', { folder }), 'loading');
    this.#count(folder, shards);
    return shards;
  }

  /**
   * Builds shards, as far as its turn is long enough while others wait, and loads them; nothing is left of them when the pieces fail.
   * Throws `too_large` where the repository has its share of the memory.
   */
  async build({ isUrgent, isContinued, ...options }: IndexOptions): Promise<BuiltAndLoaded> {
    this.#requireShare(options.folder);
    const { names, left } = await this.#turns.run(
      (isOver) => this.#builders.build({ ...options, isOver }),
      isUrgent ? 'urgent' : 'patient',
      { isContinued },
    );
    const { folder } = options;
    const shards = await this.#turns.run(() => this.#thread.call('add', { folder, names }), 'loading');
    this.#count(options.folder, shards);
    try {
      this.#requireShare(options.folder);
    } catch (error) {
      await this.drop(options.folder, shards);
      throw error;
    }
    return { shards, left };
  }

  #count(folder: string, shards: readonly StoredShard[], sign = 1): void {
    const bytes = shards.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    this.#taken.set(folder, (this.#taken.get(folder) ?? 0) + sign * bytes);
  }

  #requireShare(folder: string): void {
    const most = this.#mostOfOne;
    if (this.#taken.size < 2 || (this.#taken.get(folder) ?? 0) <= most) return;
    throw new SextantError(
      'too_large',
      `the index of the repository takes more than ${most} bytes, the most of the memory for indexes that one of several repositories may have; ask for single files and folders, or let the operator raise memoryBytes of service-search-index`,
    );
  }

  paths(folder: string, text: PathText): Promise<LoadedPaths> {
    return this.#turns.run(() => this.#thread.call('paths', { folder, ...text }), 'loading');
  }

  /** The paths that were loaded, of so many bytes: good until they are released. */
  textOf({ address }: LoadedPaths, bytes: number): Uint8Array {
    return new Uint8Array(this.#memory.buffer, address, bytes);
  }

  release(addresses: readonly number[]): Promise<void> {
    return this.#thread.call('release', addresses);
  }

  /** Texts stay on disk until this is called: what cannot be searched yet comes first. */
  beginWarming(): void {
    this.#warming.resolve();
  }

  /** Loads the text of a shard into memory, when nothing else is to be done, adds the keys that it lacks, and tells which names it defines. Throws DamagedIndexError. */
  async warm(folder: string, shard: StoredShard): Promise<void> {
    await Promise.all([this.#before, this.#warming.promise]);
    const address = shard.loaded.handle.address;
    await naming(shard, this.#inTurns('warm', { folder, shard: address }, 'idle'));
    // Whoever made it necessary searches it first.
    if (!hasTrigrams(shard.loaded)) await setTimeout(keysAfterMs, undefined, { ref: false });
    await this.addTrigrams(folder, shard, 'idle');
    await naming(shard, this.#inTurns('names', { folder, shard: address }, 'last'));
  }

  /** Adds the keys that a shard lacks. Throws DamagedIndexError. */
  async addTrigrams(folder: string, shard: StoredShard, kind: 'urgent' | 'idle'): Promise<void> {
    if (hasTrigrams(shard.loaded)) return;
    await this.#turns.run(() => {
      const adding = this.#adding.get(shard) ?? naming(shard, this.#buildTrigrams(folder, shard));
      this.#adding.set(shard, adding);
      return adding.finally(() => this.#adding.delete(shard));
    }, kind);
  }

  async #buildTrigrams(folder: string, { name, loaded }: StoredShard): Promise<void> {
    // Both may have come while it waited for its turn; a thread that is started after the end would stay.
    if (hasTrigrams(loaded) || this.#isClosed) return;
    try {
      await this.#builders.addTrigrams(folder, name);
      await this.#thread.call('addTrigrams', { folder, name });
    } catch (error) {
      // Files that are gone need nothing any more.
      if (!(error instanceof ThreadError && error.code === 'ENOENT')) throw error;
    }
  }

  async #inTurns(name: 'warm' | 'names', shard: Parameters<IndexCalls['warm']>[0], kind: Kind): Promise<void> {
    const step = (): Promise<boolean> => this.#thread.call(name, shard);
    for (let isDone = false; !isDone && !this.#isClosed; ) isDone = await this.#turns.run(step, kind);
  }

  /** Resolves when the thread has ended by itself: nobody knows any more what is where in the memory. */
  get died(): Promise<Death> {
    return this.#died.promise;
  }

  /** Releases shards and removes their files. */
  drop(folder: string, shards: readonly StoredShard[]): Promise<void> {
    this.#count(folder, shards, -1);
    return this.#thread.call('drop', { folder, shards: shards.map(({ name, loaded }) => ({ name, loaded })) });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#thread.close(), this.#builders.close()]);
    this.#closed.resolve();
  }
}
