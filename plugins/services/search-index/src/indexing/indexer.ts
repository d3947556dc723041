import { join } from 'node:path';
import { metered } from '@sextant/core';
import type { Caller, Logger, ServiceFailure, ServiceStatus, SextantError } from '@sextant/core';
import { requireReadable } from '@sextant/contracts';
import type { GitStore, IndexState, IndexStates, Repositories } from '@sextant/contracts';
import { indexFolderOf, removeOtherIndexes, ServedNames } from '@sextant/library-workers';
import type { SearchIndexConfig } from '../config.ts';
import type { SharedIndex } from '../shards/shared-index.ts';
import { addCounts, noFiles, SnapshotCache } from '../snapshot/snapshot.ts';
import type { FileCounts, Snapshot, SearchThreads } from '../snapshot/snapshot.ts';
import type { Failure } from './attempts.ts';
import { publicReason } from './index-failure.ts';
import { RepositoryIndex } from './repository-index.ts';
import type { Suspension } from './repository-index.ts';
import type { CurrentHead } from './searchable-head.ts';

export interface IndexerOptions {
  readonly store: GitStore;
  readonly shared: SharedIndex;
  readonly threads: SearchThreads;
  /** Of all indexes. */
  readonly folder: string;
  readonly settings: SearchIndexConfig;
  readonly log: Logger;
  readonly suspensionOf: (name: string) => Suspension | undefined;
}

/** How much is indexed. */
export interface IndexSummary extends FileCounts {
  readonly repositories: number;
  readonly indexed: number;
  readonly failed: readonly (Failure & { readonly name: string })[];
  /** Whether every repository is indexed or cannot be. */
  readonly isSettled: boolean;
}

/** Share of all memory for snapshots of commits that are no branch. */
const cacheShare = 1 / 16;

/** Indexes of other repositories are removed by a server, not by a command with repositories of its own, which ends sooner. */
const removeAfterMs = 60_000;

const notRemoved = 'the index of a repository that is served no more was not removed';

/** Keeps the index of every repository up to date: all once, then each when its refs move. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #indexes = new Map<string, RepositoryIndex>();
  /** Of repositories that are served no more: until their indexes are removed. */
  readonly #leaving = new Map<string, NodeJS.Timeout>();
  /** Of repositories that are served no more, by name. */
  readonly #removals = new Map<string, Promise<void>>();
  readonly #cache: SnapshotCache;
  readonly #served: ServedNames;
  #stopListening: (() => void) | undefined;
  #removal: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#served = new ServedNames(options.store);
    this.#cache = new SnapshotCache(options.settings.memoryBytes * cacheShare);
  }

  /** Loads the indexes on disk while other plugins start. */
  async loadAhead(): Promise<void> {
    for (const name of await this.#served.listAll()) this.#indexOf(name).loadAhead();
  }

  start(): void {
    const { store, shared } = this.#options;
    this.#stopListening = store.onChange((name) => void this.follow(name));
    const first = this.#served.listAll().then((names) => Promise.all(names.map((name) => this.#updated(name))));
    // Histories and symbols are indexed after the text of files.
    store.putFirst(first);
    void first.then(() => shared.beginWarming());
    this.#removal = setTimeout(() => void this.#removeOthers(), removeAfterMs).unref();
  }

  /** The snapshot of a commit, indexed now if it is not yet; the caller must release it. */
  async snapshot(name: string, commit: string, signal: AbortSignal): Promise<Snapshot> {
    const { store } = this.#options;
    if (!(await store.find(name))) throw await store.whyAbsent(name);
    return unpaid(() => this.#indexOf(name).snapshot(commit, signal));
  }

  /** The snapshot of HEAD's commit, where there is no need to wait for it; the caller must release it. */
  snapshotAtOnce(name: string, head: string): Snapshot | undefined {
    const index = this.#indexes.get(name);
    return index?.head.searchable === head ? index.last.hold(head) : undefined;
  }

  /** The commit to search where HEAD names this one; the commit before while this one is indexed, or where it cannot be. */
  current(name: string, head: string, signal: AbortSignal): Promise<CurrentHead> {
    return unpaid(() => this.#indexOf(name).head.current(head, signal));
  }

  /** Builds the blobs of a damaged shard again. */
  async repair(shard: string): Promise<void> {
    await unpaid(() => Promise.all([...this.#indexes.values()].map((index) => index.repair(shard))));
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

  /** Repositories that are indexed except for some files. */
  #incomplete(): ServiceFailure[] {
    return [...this.#indexes.values()].flatMap(({ name, failure, counts: { files, missing }, firstMissing }) =>
      failure || missing === 0 || !this.#served.known?.has(name)
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
    const names = [...(this.#served.known ?? [])];
    const indexes = names.flatMap((name) => this.#indexes.get(name) ?? []);
    return {
      repositories: names.length,
      indexed: indexes.filter(({ isReady }) => isReady).length,
      isSettled:
        indexes.filter(({ isReady, failure }) => isReady || failure).length === names.length &&
        this.#served.known !== undefined,
      failed: indexes.flatMap(({ name, failure }) => (failure ? [{ name, ...failure }] : [])),
      ...indexes.map(({ counts }) => counts).reduce(addCounts, noFiles),
    };
  }

  /** Undefined where the repository's index was never begun. */
  indexOf(name: string): Pick<RepositoryIndex, 'isReady' | 'failure' | 'counts' | 'progress' | 'updated'> | undefined {
    return this.#indexes.get(name);
  }

  /** Begins to bring a repository up to date. What is indexed of one that is served no more goes after a while. */
  async follow(name: string): Promise<void> {
    if (await this.#served.has(name)) return void unpaid(() => this.#indexOf(name).update());
    if (this.#isClosed || this.#leaving.has(name)) return;
    const ms = this.#options.settings.removeAfterSeconds * 1000;
    this.#leaving.set(name, setTimeout(() => void this.#removeGone(name), ms).unref());
  }

  async #removeGone(name: string): Promise<void> {
    this.#leaving.delete(name);
    const { store, log } = this.#options;
    try {
      // One that cannot be read now may be readable later.
      if ((await store.names()).includes(name)) return;
      const reason = await store.whyAbsent(name);
      if (!this.#isClosed) this.#remove(name, reason);
    } catch (error) {
      log.warn({ err: error, repository: name }, notRemoved);
    }
  }

  /** Brings every repository up to date, and reports each. */
  async indexAll(showProgress: (line: string) => void, signal: AbortSignal): Promise<void> {
    const names = await this.#served.listAll();
    let done = 0;
    const index = async (name: string): Promise<void> => {
      const { counts, failure } = await this.#updated(name);
      done += 1;
      showProgress(`${done}/${names.length} ${name}: ${failure?.message ?? `${counts.files} files`}`);
    };
    await Promise.race([Promise.all(names.map(index)), rejectionBy(signal)]);
  }

  /** Follows changes until the signal aborts. */
  async watch(showProgress: (line: string) => void, signal: AbortSignal): Promise<void> {
    const update = async (name: string): Promise<void> => {
      if (!(await this.#served.has(name))) return;
      const { counts, failure } = await this.#updated(name);
      showProgress(`${name}: ${failure?.message ?? `${counts.files} files`}`);
    };
    const stop = this.#options.store.onChange((name) => void update(name));
    await rejectionBy(signal).catch(() => undefined);
    stop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#removal);
    for (const leaving of this.#leaving.values()) clearTimeout(leaving);
    this.#stopListening?.();
    await Promise.all([...this.#indexes.values()].map((index) => index.close()));
  }

  async #removeOthers(): Promise<void> {
    const { folder, store, log } = this.#options;
    try {
      removeOtherIndexes(folder, await store.names());
    } catch (error) {
      log.warn({ err: error }, 'indexes of repositories that are gone were not removed');
    }
  }

  #remove(name: string, reason: SextantError): void {
    const index = this.#indexOf(name);
    this.#indexes.delete(name);
    const removal = index
      .remove(reason)
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#options.log.warn({ err: error, repository: name }, notRemoved);
      })
      .finally(() => {
        if (this.#removals.get(name) === removal) this.#removals.delete(name);
      });
    this.#removals.set(name, removal);
  }

  async #updated(name: string): Promise<RepositoryIndex> {
    const index = this.#indexOf(name);
    await index.update();
    return index;
  }

  #indexOf(name: string): RepositoryIndex {
    const { store, shared, threads, folder, settings, log, suspensionOf } = this.#options;
    const known = this.#indexes.get(name);
    if (known) return known;
    const index = new RepositoryIndex({
      repository: () => store.find(name),
      name,
      folder: join(folder, indexFolderOf(name)),
      shared,
      cache: this.#cache,
      threads,
      branches: settings.branchesPerRepository,
      maxFileBytes: settings.maxFileBytes,
      maxTextBytes: settings.maxTextBytes,
      log,
      suspension: suspensionOf(name),
      after: this.#removals.get(name),
    });
    this.#indexes.set(name, index);
    return index;
  }
}

/** What is indexed is for all who search it. */
const unpaid = <T>(work: () => T): T => metered(undefined, work);

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

/** The state of the index of each repository that a caller may read. */
export class VisibleStates implements IndexStates {
  readonly #repositories: Repositories;
  readonly #engine: { readonly indexer: Indexer };

  /** The engine may have another indexer later. */
  constructor(repositories: Repositories, engine: { readonly indexer: Indexer }) {
    this.#repositories = repositories;
    this.#engine = engine;
  }

  async list(caller: Caller): Promise<IndexState[]> {
    const infos = await this.#repositories.list(caller);
    return infos.map(({ name }) => this.#stateOf(name, caller.user.isSiteAdmin));
  }

  async refresh(caller: Caller, repo: string): Promise<void> {
    await requireReadable(this.#repositories, caller, repo);
    void this.#engine.indexer.follow(repo);
  }

  #stateOf(repo: string, wantsReason: boolean): IndexState {
    const { isReady = false, failure, counts, progress, updated } = this.#engine.indexer.indexOf(repo) ?? {};
    const state = failure !== undefined ? 'failed' : isReady ? 'indexed' : 'indexing';
    return {
      repo,
      state,
      files: counts?.files ?? 0,
      ...(wantsReason && failure && { reason: failure.reason, nextTry: failure.nextTry.toISOString() }),
      ...(state === 'indexing' && progress !== undefined && { progress }),
      ...(updated && { updated }),
    };
  }
}
