import { availableParallelism } from 'node:os';
import { SextantError } from '@sextant/core';
import { DamagedShardError } from '@sextant/library-block-index';
import { Thread, ThreadError } from '@sextant/library-workers';
import { BuildThreads } from './build-threads.ts';
import type { BuildOptions, BuiltShards } from './build-threads.ts';
import type { DroppedShard, IndexCalls, IndexThreadData, LoadedFolder } from './index-thread.ts';
import { DamagedIndexError } from './loaded-shard.ts';
import type { LoadedPaths, StoredShard } from './loaded-shard.ts';
import type { PathText } from './load.ts';

export interface IndexOptions extends Omit<BuildOptions, 'isOver'> {
  /** Whether someone waits for it. */
  readonly isUrgent: boolean;
  /** Whether it had a turn before. */
  readonly isContinued: boolean;
}

export interface BuiltAndLoaded extends Pick<BuiltShards, 'left'> {
  readonly shards: readonly StoredShard[];
}

/** How the index thread ended by itself. */
export interface Death {
  readonly error: Error;
  /** Of the repository that it worked at, if any. */
  readonly folder: string | undefined;
}

/** Repositories whose shards are built at the same time: each takes a processor, and some hundred megabytes. */
const buildsAtOnce = Math.min(4, availableParallelism());

/** The share of the memory that one of several repositories may have. */
const mostOfOne = 3 / 4;

/** The names and codes of errors that say that a shard is damaged. */
const damage: ReadonlySet<string> = new Set([DamagedShardError.name, 'DamagedIndexError', 'ENOENT']);

/** Names the shard where work on it finds it damaged. */
const withDamage = ({ name }: StoredShard, work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    throw error instanceof ThreadError && damage.has(error.code) ? new DamagedIndexError(name) : error;
  });

/** What the index thread is told of a shard to release. */
const dropped = ({ name, handle }: StoredShard): DroppedShard => ({ name, handle });

/** While a plugin is replaced there are two indexes. The new one loads no texts until the old one has released its memory. */
let lastClosed: Promise<void> = Promise.resolve();

/** The threads that build shards, the index thread that loads them, and the memory that it shares with query threads. */
export class SharedIndex {
  readonly #thread: Thread<IndexCalls>;
  readonly #builders = new BuildThreads();
  readonly #scheduler = new IndexScheduler(buildsAtOnce);
  /** Bytes of the shards of each repository, by its folder. */
  readonly #taken = new Map<string, number>();
  readonly #mostOfOne: number;
  /** Resolves when the instance before this one has released its memory. */
  readonly #before = lastClosed;
  readonly #closed = Promise.withResolvers<void>();
  readonly #warming = Promise.withResolvers<void>();
  readonly #died = Promise.withResolvers<Death>();
  #isClosed = false;

  constructor(workerData: IndexThreadData) {
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

  async load(folder: string): Promise<LoadedFolder> {
    this.#count(folder, []);
    const loaded = await this.#scheduler.run(() => this.#thread.call('load', { folder }), 'loading');
    this.#count(folder, loaded.shards);
    return loaded;
  }

  /**
   * Builds shards and loads them, for one turn where other repositories wait. Where that fails nothing is left of them.
   * Throws `too_large` where the repository has its share of the memory.
   */
  async build({ isUrgent, isContinued, ...options }: IndexOptions): Promise<BuiltAndLoaded> {
    this.#requireShare(options.folder);
    const { names, left } = await this.#scheduler.run(
      (isOver) => this.#builders.build({ ...options, isOver }),
      isUrgent ? 'urgent' : 'patient',
      { isContinued },
    );
    const { folder } = options;
    const shards = await this.#scheduler.run(() => this.#thread.call('add', { folder, names }), 'loading');
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
    return this.#scheduler.run(() => this.#thread.call('paths', { folder, ...text }), 'loading');
  }

  release(addresses: readonly number[]): Promise<void> {
    return this.#thread.call('release', addresses);
  }

  /** Until this is called texts stay on disk: what cannot be searched yet comes first. */
  beginWarming(): void {
    this.#warming.resolve();
  }

  /** Loads the text of a shard into memory while there is no other work. Throws DamagedIndexError. */
  async warm(folder: string, shard: StoredShard): Promise<void> {
    await Promise.all([this.#before, this.#warming.promise]);
    await withDamage(shard, this.#loadText({ folder, shard: shard.handle.address }));
  }

  /** In steps: other work may come between. */
  async #loadText(shard: Parameters<IndexCalls['warm']>[0]): Promise<void> {
    const step = (): Promise<boolean> => this.#thread.call('warm', shard);
    for (let isDone = false; !isDone && !this.#isClosed; ) isDone = await this.#scheduler.run(step, 'idle');
  }

  /** Resolves when the index thread has ended by itself. The layout of the memory is lost then. */
  get died(): Promise<Death> {
    return this.#died.promise;
  }

  /** Releases shards and removes their files. */
  drop(folder: string, shards: readonly StoredShard[]): Promise<void> {
    this.#count(folder, shards, -1);
    return this.#thread.call('drop', { folder, shards: shards.map(dropped) });
  }

  /** Releases all shards of a repository and removes its folder. */
  remove(folder: string, shards: readonly StoredShard[]): Promise<void> {
    this.#taken.delete(folder);
    return this.#thread.call('remove', { folder, shards: shards.map(dropped) });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([this.#thread.close(), this.#builders.close()]);
    this.#closed.resolve();
  }
}

const kinds = ['urgent', 'patient', 'loading', 'idle'] as const;
/** Builds that a search waits for, builds in the background, loads, and work that is done while there is no other. */
type Kind = (typeof kinds)[number];

/** Longest turn of a build, in milliseconds, while others wait. */
const longestTurnMs = 5000;

/** Whether the turn of some work is over: it ends where it is, and is run again. */
export type IsOver = () => boolean;

/**
 * Runs a limited number of each kind of work at a time. Idle work runs alone. The latest urgent work goes first, so that a search of a
 * thousand new repositories does not delay a search of one. Work that had a turn and continues goes last.
 */
export class IndexScheduler {
  readonly #most: Readonly<Record<Kind, number>>;
  readonly #running: Record<Kind, number> = { urgent: 0, patient: 0, loading: 0, idle: 0 };
  readonly #waiting: Readonly<Record<Kind, (() => void)[]>> = {
    urgent: [],
    patient: [],
    loading: [],
    idle: [],
  };

  readonly #turnMs: number;

  constructor(patient: number, turnMs = longestTurnMs) {
    this.#turnMs = turnMs;
    this.#most = { urgent: 1, patient, loading: Infinity, idle: 1 };
  }

  async run<T>(work: (isOver: IsOver) => Promise<T>, kind: Kind, { isContinued = false } = {}): Promise<T> {
    // `#letRun` counts waiting work as running when it starts it, so that no other work comes between.
    if (this.#mayRun(kind)) this.#running[kind] += 1;
    else await new Promise<void>((resolve) => this.#wait(resolve, { kind, isContinued }));
    const begun = performance.now();
    try {
      return await work(() => this.#waiting[kind].length > 0 && performance.now() - begun >= this.#turnMs);
    } finally {
      this.#running[kind] -= 1;
      for (const each of kinds) this.#letRun(each);
    }
  }

  #wait(begin: () => void, { kind, isContinued }: { kind: Kind; isContinued: boolean }): void {
    // Urgent work is taken from the end.
    if (isContinued && kind === 'urgent') this.#waiting[kind].unshift(begin);
    else this.#waiting[kind].push(begin);
  }

  #mayRun(kind: Kind): boolean {
    if (kind === 'idle') return kinds.every((each) => this.#running[each] === 0);
    return this.#running[kind] < this.#most[kind];
  }

  #letRun(kind: Kind): void {
    while (this.#waiting[kind].length > 0 && this.#mayRun(kind)) {
      this.#running[kind] += 1;
      const waiting = this.#waiting[kind];
      const next = kind === 'urgent' ? waiting.pop() : waiting.shift();
      next?.();
    }
  }
}
