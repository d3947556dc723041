import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { SextantError } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import type { SearchIndexConfig } from '../config.ts';
import type { QueryThreads } from '../query/query-threads.ts';
import type { HeldView } from './held-view.ts';
import { RepositoryIndex } from './repository-index.ts';
import type { SharedIndex } from './shared-index.ts';

export interface IndexerOptions {
  readonly store: GitStore;
  readonly shared: SharedIndex;
  readonly threads: QueryThreads;
  /** Where all shards are. */
  readonly folder: string;
  readonly settings: SearchIndexConfig;
  readonly log: Logger;
}

/** Keeps every repository indexed: first all once, then each when its refs move. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #indexes = new Map<string, RepositoryIndex>();
  #stopListening: (() => void) | undefined;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#stopListening = this.#options.store.onChange((name) => this.#follow(name));
    for (const { name } of this.#options.store.list()) this.#follow(name);
  }

  /** The files of a commit, indexed now if they are not yet; to be let go after use. */
  view(name: string, commit: string, signal: AbortSignal): Promise<HeldView> {
    if (!this.#options.store.find(name))
      throw new SextantError('unavailable', `repository "${name}" is no longer there`);
    return this.#indexOf(name).view(commit, signal);
  }

  status(): ServiceStatus {
    const names = this.#options.store.list().map(({ name }) => name);
    const indexes = names.flatMap((name) => this.#indexes.get(name) ?? []);
    const indexed = indexes.filter(({ isReady }) => isReady).length;
    const failed = indexes.filter(({ failure }) => failure !== undefined).length;
    const documents = indexes.reduce((sum, { counts }) => sum + counts.documents, 0);
    return { isReady: indexed === names.length, detail: { repositories: names.length, indexed, failed, documents } };
  }

  async close(): Promise<void> {
    this.#stopListening?.();
    await Promise.all([...this.#indexes.values()].map((index) => index.close()));
  }

  #follow(name: string): void {
    if (this.#options.store.find(name)) void this.#indexOf(name).update(false);
  }

  #indexOf(name: string): RepositoryIndex {
    const { store, shared, threads, folder, settings, log } = this.#options;
    const known = this.#indexes.get(name);
    if (known) return known;
    const index = new RepositoryIndex({
      repository: () => store.find(name),
      name,
      folder: join(folder, createHash('sha256').update(name).digest('hex').slice(0, 32)),
      shared,
      threads,
      branches: settings.branchesPerRepository,
      maxFileBytes: settings.maxFileBytes,
      log,
    });
    this.#indexes.set(name, index);
    return index;
  }
}
