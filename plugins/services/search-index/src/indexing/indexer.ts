import { join } from 'node:path';
import { SextantError } from '@sextant/core';
import type { Logger, ServiceFailure, ServiceStatus } from '@sextant/core';
import type { GitStore } from '@sextant/contracts';
import type { SearchIndexConfig } from '../config.ts';
import type { QueryThreads } from '../pool/query-threads.ts';
import type { SharedIndex } from '../shards/shared-index.ts';
import { SnapshotCache } from '../snapshot/kept-views.ts';
import { addCounts, noFiles } from '../snapshot/snapshot.ts';
import type { FileCounts, Snapshot } from '../snapshot/snapshot.ts';
import type { Failure } from './attempts.ts';
import type { CurrentHead } from './heads-in-turn.ts';
import { publicReason } from './index-failure.ts';
import { folderOf, removeOthers } from './index-folders.ts';
import { RepositoryIndex } from './repository-index.ts';
import type { Barred } from './repository-index.ts';

export interface IndexerOptions {
  readonly store: GitStore;
  readonly shared: SharedIndex;
  readonly threads: QueryThreads;
  /** Where all shards are. */
  readonly folder: string;
  readonly settings: SearchIndexConfig;
  readonly log: Logger;
  /** Why a repository is left alone for a while. */
  readonly barred: (name: string) => Barred | undefined;
}

/** How far it is. */
export interface IndexSummary extends FileCounts {
  readonly repositories: number;
  readonly indexed: number;
  readonly failed: readonly (Failure & { readonly name: string })[];
  /** Whether every repository is indexed or cannot be. */
  readonly isSettled: boolean;
}

/** Share of all memory that views of commits that are no branch may take. */
const viewShare = 1 / 16;

/** What is no longer configured is removed by a server that stays, not by a command with repositories of its own. */
const removeAfterMs = 60_000;

/** Keeps every repository indexed: first all once, then each when its refs move. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #indexes = new Map<string, RepositoryIndex>();
  readonly #kept: SnapshotCache;
  #stopListening: (() => void) | undefined;
  #removal: NodeJS.Timeout | undefined;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#kept = new SnapshotCache(options.settings.memoryBytes * viewShare);
  }

  /** Reads what is on disk while other plugins start. */
  loadAhead(): void {
    for (const { name } of this.#options.store.list()) this.#indexOf(name).loadAhead();
  }

  start(): void {
    this.#stopListening = this.#options.store.onChange((name) => this.follow(name));
    const { store, shared } = this.#options;
    const first = Promise.all(store.list().map(({ name }) => this.#updated(name)));
    // Histories and symbols wait until texts can be searched.
    store.putFirst(first);
    void first.then(() => shared.beginWarming());
    this.#removal = setTimeout(() => this.#removeOthers(), removeAfterMs).unref();
  }

  /** The files of a commit, indexed now if they are not yet; to be let go after use. */
  view(name: string, commit: string, signal: AbortSignal): Promise<Snapshot> {
    if (!this.#options.store.find(name))
      throw new SextantError('unavailable', `repository "${name}" is no longer there`);
    return this.#indexOf(name).view(commit, signal);
  }

  /** Adds the keys that a view of a repository lacks; where that fails it is let go. */
  async addKeys(name: string, view: Snapshot, signal: AbortSignal): Promise<void> {
    const { withoutTrigrams } = view;
    if (withoutTrigrams.size === 0) return;
    try {
      await this.#indexOf(name).addKeys(withoutTrigrams, signal);
    } catch (error) {
      view.release();
      throw error;
    }
  }

  /** The same where HEAD names the commit, and it was searched before: nothing is waited for. */
  snapshotAtOnce(name: string, head: string): Snapshot | undefined {
    const index = this.#indexes.get(name);
    return index?.heads.searchable === head ? index.last.hold(head) : undefined;
  }

  /** The commit that HEAD of a repository named when it was last indexed, where it can be searched at once. */
  indexedHead(name: string): string | undefined {
    return this.#indexes.get(name)?.heads.searchable;
  }

  /** The commit to search where HEAD of a repository names this one: it, or while that is indexed, or cannot be, the one before. */
  current(name: string, head: string, signal: AbortSignal): Promise<CurrentHead> {
    return this.#indexOf(name).heads.current(head, signal);
  }

  /** Builds what is in a damaged shard anew; names of shards are unique. */
  async repair(shard: string): Promise<void> {
    await Promise.all([...this.#indexes.values()].map((index) => index.repair(shard)));
  }

  status(): ServiceStatus {
    const { repositories, indexed, failed, isSettled, ...counts } = this.summary();
    const reasons = [...new Set(failed.map(({ error }) => publicReason(error)))].sort();
    const why = reasons.length > 0 && { failures: reasons.join('; ') };
    const detail = { repositories, indexed, failed: failed.length, ...why, ...counts };
    const done = [...this.#indexes.values()].reduce((sum, { progress: share }) => sum + share, 0);
    const progress = { done: Math.min(done, repositories), total: repositories, unit: 'repositories searchable' };
    const failures = [...failed.map(failureOf), ...this.#incomplete()];
    return {
      isReady: isSettled,
      detail,
      ...(failures.length > 0 && { failures }),
      ...(!isSettled && { progress }),
    };
  }

  /** What is indexed but for some files. */
  #incomplete(): ServiceFailure[] {
    return [...this.#indexes.values()].flatMap(({ name, failure, counts: { files, missing }, firstMissing }) =>
      failure || missing === 0 || !this.#options.store.find(name)
        ? []
        : [
            {
              name,
              reason: `the content of ${missing} of ${files} files could not be read, so they are found by name only: the repository lacks it, or it is damaged; the first is object ${firstMissing}. "git fsck" names the others`,
            },
          ],
    );
  }

  summary(): IndexSummary {
    const names = this.#options.store.list().map(({ name }) => name);
    const indexes = names.flatMap((name) => this.#indexes.get(name) ?? []);
    return {
      repositories: names.length,
      indexed: indexes.filter(({ isReady }) => isReady).length,
      isSettled: indexes.filter(({ isReady, failure }) => isReady || failure).length === names.length,
      failed: indexes.flatMap(({ name, failure }) => (failure ? [{ name, ...failure }] : [])),
      ...indexes.map(({ counts }) => counts).reduce(addCounts, noFiles),
    };
  }

  /** What is indexed of a repository; undefined while nobody has begun. */
  indexOf(name: string): Pick<RepositoryIndex, 'isReady' | 'failure' | 'counts'> | undefined {
    return this.#indexes.get(name);
  }

  /** Begins to bring a repository up to date. */
  follow(name: string): void {
    if (this.#options.store.find(name)) void this.#indexOf(name).update();
  }

  /** Brings every repository up to date and says so of each. */
  async indexAll(showProgress: (line: string) => void, signal: AbortSignal): Promise<void> {
    const names = this.#options.store.list().map(({ name }) => name);
    let done = 0;
    const index = async (name: string): Promise<void> => {
      const { counts, failure } = await this.#updated(name);
      done += 1;
      showProgress(`${done}/${names.length} ${name}: ${failure?.message ?? `${counts.files} files`}`);
    };
    await Promise.race([Promise.all(names.map(index)), rejectionBy(signal)]);
  }

  /** Follows changes until the signal ends it. */
  async watch(showProgress: (line: string) => void, signal: AbortSignal): Promise<void> {
    const stop = this.#options.store.onChange((name) => {
      if (!this.#options.store.find(name)) return;
      void this.#updated(name).then(({ counts, failure }) =>
        showProgress(`${name}: ${failure?.message ?? `${counts.files} files`}`),
      );
    });
    await rejectionBy(signal).catch(() => undefined);
    stop();
  }

  async close(): Promise<void> {
    clearTimeout(this.#removal);
    this.#stopListening?.();
    await Promise.all([...this.#indexes.values()].map((index) => index.close()));
  }

  #removeOthers(): void {
    const { folder, store, log } = this.#options;
    try {
      removeOthers(folder, store.names());
    } catch (error) {
      log.warn({ err: error }, 'indexes of repositories that are gone were not removed');
    }
  }

  async #updated(name: string): Promise<RepositoryIndex> {
    const index = this.#indexOf(name);
    await index.update();
    return index;
  }

  #indexOf(name: string): RepositoryIndex {
    const { store, shared, threads, folder, settings, log, barred } = this.#options;
    const known = this.#indexes.get(name);
    if (known) return known;
    const index = new RepositoryIndex({
      repository: () => store.find(name),
      name,
      folder: join(folder, folderOf(name)),
      shared,
      kept: this.#kept,
      threads,
      branches: settings.branchesPerRepository,
      maxFileBytes: settings.maxFileBytes,
      maxTextBytes: settings.maxTextBytes,
      log,
      barred: barred(name),
    });
    this.#indexes.set(name, index);
    return index;
  }
}

const failureOf = ({ name, reason, since, nextTry }: Failure & { readonly name: string }): ServiceFailure => ({
  name,
  reason,
  since: since.toISOString(),
  nextTry: nextTry.toISOString(),
});

/** Rejects when the signal aborts. */
const rejectionBy = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
