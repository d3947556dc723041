import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { SextantError } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import type { SearchIndexConfig } from './config.ts';
import { divideMemory } from './shards/divided-memory.ts';
import { failureReason } from './indexing/index-failure.ts';
import { folderOf } from './indexing/index-folders.ts';
import { Indexer } from './indexing/indexer.ts';
import type { Barred } from './indexing/repository-index.ts';
import { SharedIndex } from './shards/shared-index.ts';
import type { Death } from './shards/shared-index.ts';
import { QueryThreads } from './pool/query-threads.ts';

export interface EngineOptions {
  readonly store: GitStore;
  readonly dataFolder: string;
  readonly settings: SearchIndexConfig;
  readonly log: Logger;
}

interface Running {
  readonly shared: SharedIndex;
  readonly threads: QueryThreads;
  readonly indexer: Indexer;
}

/** A repository that ended the thread is left alone for so long, then for twice as long each time, up to the longest. */
const [firstPauseMs, longestPauseMs] = [60_000, 3_600_000];
/** Before the next start where nobody knows which repository it was, or where a start failed. */
const unknownPauseMs = 10_000;

/**
 * A memory for indexes, with what indexes into it and what searches in it. What is where in the memory is known to one thread alone: where that ends by
 * itself all is started anew from what is on disk, without the repository that it worked at.
 */
export class Engine {
  readonly #options: EngineOptions;
  readonly #folder: string;
  readonly #closing = new AbortController();
  /** By name, how often each ended the thread, and until when it is left alone. */
  readonly #deadly = new Map<string, { deaths: number; error: SextantError; until: number }>();
  #running: Running;
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

  get threads(): QueryThreads {
    return this.#running.threads;
  }

  /** All plugins have started. */
  start(): void {
    this.#isReady = true;
    this.#running.threads.start();
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

  #make(): Running {
    const { store, settings, log } = this.#options;
    const memory = divideMemory(settings);
    const shared = new SharedIndex(memory.index);
    const threads = new QueryThreads(memory, log);
    const barred = (name: string): Barred | undefined => this.#barred(name);
    const indexer = new Indexer({ store, shared, threads, folder: this.#folder, settings, log, barred });
    indexer.loadAhead();
    void this.#restartAfter(shared);
    return { shared, threads, indexer };
  }

  async #restartAfter({ died }: SharedIndex): Promise<void> {
    const death = await died;
    this.#restarting = this.#restart(death);
    await this.#restarting;
    this.#restarting = undefined;
  }

  async #restart({ error, folder }: Death): Promise<void> {
    const { store, log } = this.#options;
    const repository = store.names().find((name) => folder === join(this.#folder, folderOf(name)));
    log.error({ err: error, repository }, 'the thread that holds all indexes ended; they are read again');
    if (repository !== undefined) this.#bar(repository, error);
    // Two at once would write into the same folders.
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

  #bar(name: string, cause: Error): void {
    const deaths = (this.#deadly.get(name)?.deaths ?? 0) + 1;
    const message = `repository "${name}" cannot be searched now: the thread that holds all indexes ended while it worked at it (${failureReason(cause)})`;
    const error = new SextantError('unavailable', message);
    const until = Date.now() + Math.min(longestPauseMs, firstPauseMs * 2 ** (deaths - 1));
    this.#deadly.set(name, { deaths, error, until });
  }

  #barred(name: string): Barred | undefined {
    const { error, until = 0 } = this.#deadly.get(name) ?? {};
    const pauseMs = until - Date.now();
    return error && pauseMs > 0 ? { error, pauseMs } : undefined;
  }
}

async function end({ indexer, threads, shared }: Running): Promise<void> {
  await indexer.close();
  await threads.close();
  await shared.close();
}
