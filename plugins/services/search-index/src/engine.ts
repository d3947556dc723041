import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { backoffMs, mostDescriptors, SextantError } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import type { SearchIndexConfig } from './config.ts';
import { Arena } from '@sextant/library-block-index';
import type { ArenaRegion } from '@sextant/library-block-index';
import { indexFolderOf } from '@sextant/library-workers';
import type { IndexThreadData } from './shards/index-thread.ts';
import { failureReason } from './indexing/index-failure.ts';
import { Indexer } from './indexing/indexer.ts';
import type { Suspension } from './indexing/repository-index.ts';
import { SharedIndex } from './shards/shared-index.ts';
import type { Death } from './shards/shared-index.ts';
import { SearchScheduler } from './pool/scheduler.ts';

export interface EngineOptions {
  readonly store: GitStore;
  readonly dataFolder: string;
  readonly settings: SearchIndexConfig;
  readonly log: Logger;
}

interface EngineState {
  readonly shared: SharedIndex;
  readonly scheduler: SearchScheduler;
  readonly indexer: Indexer;
}

/** How long a repository is suspended after its work ended the index thread. The time doubles each time. */
const suspensions = { firstMs: 60_000, longestMs: 3_600_000 };
/** The pause before the next start where the repository is not known, or a start failed. */
const unknownPauseMs = 10_000;

/**
 * The memory for indexes, and the threads that index into it and search in it. Only the index thread knows the layout of
 * the memory. When that thread ends by itself, everything is loaded again from disk, except the repository that it
 * worked at.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #folder: string;
  readonly #closing = new AbortController();
  /** By repository: how often it ended the index thread, and until when it is suspended. */
  readonly #suspended = new Map<string, { deaths: number; error: SextantError; until: number }>();
  #running: EngineState;
  #restarting: Promise<void> | undefined;
  #isReady = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#folder = join(options.dataFolder, 'search-index');
    this.#running = this.#make();
  }

  get indexer(): Indexer {
    return this.#running.indexer;
  }

  get scheduler(): SearchScheduler {
    return this.#running.scheduler;
  }

  /** Begins to index, once all plugins have started. */
  start(): void {
    this.#isReady = true;
    this.#running.scheduler.start();
    this.#running.indexer.start();
  }

  status(): ServiceStatus {
    if (!this.#restarting) return this.indexer.status();
    const reason = 'the thread that holds all indexes ended, and is started again; the log says why';
    return { isReady: false, detail: {}, failures: [{ name: 'indexes', reason }] };
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#restarting;
    await end(this.#running);
  }

  #make(): EngineState {
    const { store, settings, log } = this.#options;
    const memory = divideMemory(settings);
    const shared = new SharedIndex(memory.index);
    const scheduler = new SearchScheduler(memory.threads, log);
    const suspensionOf = (name: string): Suspension | undefined => this.#suspensionOf(name);
    const indexer = new Indexer({
      store,
      shared,
      threads: scheduler,
      folder: this.#folder,
      settings,
      log,
      suspensionOf,
    });
    void indexer.loadAhead();
    void this.#restartAfter(shared);
    return { shared, scheduler, indexer };
  }

  async #restartAfter({ died }: SharedIndex): Promise<void> {
    const death = await died;
    this.#restarting = this.#restart(death);
    await this.#restarting;
    this.#restarting = undefined;
  }

  async #restart({ error, folder }: Death): Promise<void> {
    const { store, log } = this.#options;
    const repository = (await store.names()).find((name) => folder === join(this.#folder, indexFolderOf(name)));
    log.error({ err: error, repository }, 'the thread that holds all indexes ended; they are read again');
    if (repository !== undefined) this.#suspend(repository, error);
    // Two at a time would write into the same folders.
    await end(this.#running);
    const { signal } = this.#closing;
    for (let pauseMs = repository === undefined ? unknownPauseMs : 0; ; pauseMs = unknownPauseMs) {
      await setTimeout(pauseMs, undefined, { ref: false, signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        this.#running = this.#make();
        break;
      } catch (failure) {
        log.error({ err: failure }, 'the thread that holds all indexes cannot be started; it is tried again');
      }
    }
    if (this.#isReady) this.start();
  }

  #suspend(name: string, cause: Error): void {
    const deaths = (this.#suspended.get(name)?.deaths ?? 0) + 1;
    const message = `repository "${name}" cannot be searched now: the thread that holds all indexes ended while it worked at it (${failureReason(cause)})`;
    const error = new SextantError('unavailable', message);
    const until = Date.now() + backoffMs(deaths, suspensions);
    this.#suspended.set(name, { deaths, error, until });
  }

  #suspensionOf(name: string): Suspension | undefined {
    const { error, until = 0 } = this.#suspended.get(name) ?? {};
    const pauseMs = until - Date.now();
    return error && pauseMs > 0 ? { error, pauseMs } : undefined;
  }
}

async function end({ indexer, scheduler, shared }: EngineState): Promise<void> {
  await indexer.close();
  await scheduler.close();
  await shared.close();
}

/** Memory that all threads share, with a part to work in for each. */
interface DividedMemory {
  /** The part of the index thread. All threads read what it loads. */
  readonly index: IndexThreadData;
  /** One for each thread that searches. */
  readonly threads: readonly ArenaRegion[];
}

/** Scratch memory of each thread that answers queries, with its cache of content that is on disk. */
const threadBytes = { least: 64 << 20, most: 128 << 20 };
/** Share of all memory for that scratch memory, where it is not less. */
const threadShare = 1 / 16;
/** Scratch memory of the thread that loads. */
const indexBytes = 16 << 20;
/** Addresses have 32 bits. */
const mostBytes = 4_290_000_000;

/** Texts stay on disk above this share of the memory. The rest is for more indexes and, below 2 GB, for what searches hold. */
const textsIn = (bytes: number): number => Math.min(0.8 * bytes, Math.max(192 << 20, 1.225 * bytes - (870 << 20)));

/** Share of the files that the process may have open for those of texts that are on disk. */
const openShare = 1 / 8;

/** Reserves address space. Only touched pages take real memory. */
function divideMemory({ memoryBytes, threads }: { memoryBytes: number; threads: number }): DividedMemory {
  const { least, most } = threadBytes;
  const scratch = Math.min(most, Math.max(least, Math.floor((memoryBytes * threadShare) / threads)));
  const arena = reserved(Math.min(memoryBytes + threads * scratch + indexBytes, mostBytes));
  const parts = Array.from({ length: threads }, () => arena.split(scratch));
  const texts = {
    mostTaken: textsIn(memoryBytes) - arena.taken,
    mostOpen: Math.floor(mostDescriptors() * openShare),
  };
  return { index: { part: arena.split(arena.largestFree), texts }, threads: parts };
}

function reserved(bytes: number): Arena {
  try {
    return Arena.create(bytes);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SextantError(
      'unavailable',
      `${bytes} bytes of memory for indexes cannot be reserved; raise the limit of this process (ulimit -v, -d: 64-bit programs reserve much more address space than memory), or lower memoryBytes`,
      { cause },
    );
  }
}
