import { SextantError } from '@sextant/core';
import type { DataFileProblem, Logger } from '@sextant/core';
import { branchCommits } from '@sextant/contracts';
import type { IndexState, StoredRepository } from '@sextant/contracts';
import { DamagedIndexError } from '../shards/loaded-shard.ts';
import type { StoredShard } from '../shards/loaded-shard.ts';
import { RepositoryShards } from '../shards/repository-shards.ts';
import type { SharedIndex } from '../shards/shared-index.ts';
import { SnapshotBuilder } from '../snapshot/snapshot-builder.ts';
import type { SnapshotBuildOptions } from '../snapshot/snapshot-builder.ts';
import { LastSnapshot, noFiles } from '../snapshot/snapshot.ts';
import type { FileCounts, Snapshot, SnapshotCache, SearchThreads } from '../snapshot/snapshot.ts';
import { keepOnly } from '../shards/commit-files.ts';
import { blobsOfAll, readTree, wantedBlobs } from '../snapshot/tree.ts';
import { Attempts } from './attempts.ts';
import type { Failure } from './attempts.ts';
import { orIndexFailure } from './index-failure.ts';
import { RepositoryReader } from '../shards/repository-reader.ts';
import { SearchableHead } from './searchable-head.ts';

export interface RepositoryIndexOptions {
  /** The repository as it is now: asked for each time, because it may be replaced. */
  readonly repository: () => Promise<StoredRepository | undefined>;
  readonly name: string;
  readonly folder: string;
  readonly shared: SharedIndex;
  readonly cache: SnapshotCache;
  readonly threads: SearchThreads;
  readonly branches: number;
  readonly maxFileBytes: number;
  readonly maxTextBytes: number;
  readonly log: Logger;
  readonly suspension: Suspension | undefined;
  /** Its work begins after this, which never rejects: what was indexed under the same name before is removed. */
  readonly after: Promise<void> | undefined;
}

/** Why nothing is done for a repository, and for how long. */
export interface Suspension {
  readonly error: SextantError;
  readonly pauseMs: number;
}

/** The index of one repository: its shards, and the snapshots of its commits. Work on it is done one at a time. */
export class RepositoryIndex {
  readonly name: string;
  readonly head: SearchableHead;
  readonly last = new LastSnapshot();
  readonly #options: RepositoryIndexOptions;
  readonly #shards: RepositoryShards;
  readonly #reader: RepositoryReader;
  readonly #builder: SnapshotBuilder;
  readonly #attempts: Attempts;
  /** By commit. */
  readonly #snapshots = new Map<string, Promise<Snapshot>>();
  /** Commits that searches wait for, in the order of asking. */
  readonly #awaited = new Set<string>();
  /** The commits of branches. */
  #indexed: ReadonlySet<string> = new Set();
  /** Repairs that run, by shard. */
  readonly #repairs = new Map<string, Promise<void>>();
  /** The work that ends last. */
  #work: Promise<unknown>;
  #compacting: Promise<void> | undefined;
  /** The release of old shards that began last. */
  #dropping: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #suspended: SextantError | undefined;
  isReady = false;
  /** Of the default branch. */
  counts: FileCounts = noFiles;
  updated: IndexState['updated'];
  /** The first object of the default branch that the repository lacks, or cannot read. */
  firstMissing: string | undefined;

  constructor(options: RepositoryIndexOptions) {
    this.name = options.name;
    this.#options = options;
    this.#work = options.after ?? Promise.resolve();
    const { repository, folder, shared, maxFileBytes, suspension } = options;
    const { signal } = this.#closing;
    const reader = new RepositoryReader({ repository, maxFileBytes, signal, state: this });
    const onFailure = (error: unknown): void => this.#warn(error, 'what is known of a commit was not kept');
    this.#reader = reader;
    this.#attempts = new Attempts({
      name: this.name,
      tryAgain: () => {
        this.#suspended = undefined;
        void this.update();
      },
      tell: (error) => this.#warn(error, 'a repository could not be indexed'),
      signal,
    });
    this.#suspended = suspension?.error;
    if (suspension) this.#attempts.failed(suspension.error, suspension.pauseMs);
    this.head = new SearchableHead({
      index: (commit) => this.#asked(commit, true),
      onFailure: (error) => this.#attempts.failed(error),
      isIndexed: (commit) => this.#snapshots.has(commit),
    });
    this.#shards = new RepositoryShards({
      folder,
      shared,
      reader,
      onFailure: (error) => void this.#repairAfter(error),
      onUnusable: (problems) => this.#tellOf(problems),
    });
    const shards = this.#shards;
    const onLeak = (error: unknown): void => this.#warn(error, 'memory of an index was not given back');
    this.#builder = new SnapshotBuilder({ ...options, reader, shards, onFailure, onLeak });
  }

  /** How much is indexed, from 0 to 1. */
  get progress(): number {
    return this.isReady ? 1 : this.#shards.builtShare;
  }

  get failure(): Failure | undefined {
    return this.#attempts.failure;
  }

  /** Loads the shards on disk. Callers that need them later get the error, if there is one. */
  loadAhead(): void {
    if (!this.#suspended) void this.#shards.load().catch(() => undefined);
  }

  /** Brings the index up to date with the branches: each push comes through here. */
  async update(): Promise<void> {
    if (this.#suspended || this.#closing.signal.aborted) return;
    try {
      await this.#inTurn(() => this.#followBranches());
      await this.#compact();
    } catch (error) {
      this.#attempts.failed(error);
    }
  }

  async #followBranches(): Promise<void> {
    const repository = await this.#options.repository();
    if (!repository) return;
    const started = performance.now();
    const commits = await branchCommits(repository, this.#options.branches, this.#closing.signal);
    const isNew = !this.isReady || commits.some((commit) => !this.#indexed.has(commit));
    const [snapshot] = await this.head.following(commits[0], this.#buildAll(commits));
    this.counts = snapshot?.counts ?? noFiles;
    this.firstMissing = snapshot?.firstMissing;
    this.#indexed = new Set(commits);
    await this.#cacheOthers();
    await keepOnly(this.#options.folder, this.#indexed);
    this.isReady = true;
    if (isNew) this.updated = { at: new Date().toISOString(), milliseconds: performance.now() - started };
    this.#attempts.succeeded();
  }

  async #buildAll(commits: Iterable<string>): Promise<Snapshot[]> {
    const snapshots = [];
    for (const commit of commits) snapshots.push(await this.#build(commit, { isBranch: true }));
    return snapshots;
  }

  async #build(commit: string, options: SnapshotBuildOptions): Promise<Snapshot> {
    const building = this.#snapshots.get(commit) ?? this.#builder.build(commit, options);
    this.#snapshots.set(commit, building);
    try {
      const snapshot = await building;
      this.head.built(commit);
      return snapshot;
    } catch (error) {
      this.#snapshots.delete(commit);
      throw error;
    }
  }

  /** The snapshot of any commit, built now if it is not there; the caller must release it. */
  async snapshot(commit: string, signal: AbortSignal): Promise<Snapshot> {
    for (;;) {
      const snapshot = await orIndexFailure(this.name, this.#asked(commit, false), signal);
      if (!snapshot.hold()) continue;
      this.#cacheOther(commit, snapshot);
      return this.last.set(commit, snapshot);
    }
  }

  async #asked(commit: string, isBranch: boolean): Promise<Snapshot> {
    this.#closing.signal.throwIfAborted();
    if (this.#suspended) throw this.#suspended;
    // Failures are tried again in the background: that may take long, and no search waits for it.
    this.head.throwIfFailed(commit);
    const known = this.#snapshots.get(commit);
    if (known) return known;
    this.#awaited.add(commit);
    return this.#inTurn(() => this.#buildAsked(commit, isBranch));
  }

  async #buildAsked(commit: string, isBranch: boolean): Promise<Snapshot> {
    this.#awaited.delete(commit);
    this.head.throwIfFailed(commit);
    const snapshot = await this.#build(commit, { next: [...this.#awaited], isBranch });
    // A caller that goes through a history evicts one snapshot by the next.
    this.#cacheOther(commit, snapshot);
    // The text of other commits adds shards also where nothing is pushed.
    if (this.#shards.areMany) void this.update();
    return snapshot;
  }

  async close(): Promise<void> {
    this.#closing.abort(new SextantError('unavailable', 'the server is stopping'));
    await this.#work;
  }

  /** Ends all work, and removes what is in memory and on disk once no search holds it. Who waits for it gets the reason. */
  async remove(reason: SextantError): Promise<void> {
    this.#closing.abort(reason);
    await this.#compacting?.catch(() => undefined);
    await this.#work;
    this.#snapshots.clear();
    await Promise.all(this.#builder.unreleased.map((snapshot) => snapshot.retire()));
    await this.#dropping;
    await this.#shards.clear();
  }

  /** Builds one shard of many small ones, which would slow searches down. Other work goes on meanwhile. */
  async #compact(): Promise<void> {
    if (this.#compacting || this.#closing.signal.aborted || !this.#shards.areMany) return;
    this.#compacting = this.#merge().finally(() => {
      this.#compacting = undefined;
    });
    await this.#compacting;
  }

  async #merge(): Promise<void> {
    const { maxFileBytes } = this.#options;
    const trees = await Promise.all([...this.#indexed].map((commit) => readTree(this.#reader.tree(commit))));
    const merged = await this.#shards.merge(await blobsOfAll(trees, maxFileBytes), (isWanted) =>
      wantedBlobs(trees, { maxFileBytes, isWanted }),
    );
    if (merged) await this.#inTurn(() => this.#rebuildWithout(this.#shards.replace(merged)));
  }

  async #repairAfter(error: Error): Promise<void> {
    this.#warn(error, 'what makes searches of a repository faster is not all there');
    if (error instanceof DamagedIndexError) await this.repair(error.shard);
  }

  /** Builds the blobs of a damaged shard again, once for all callers at the same time. If that fails, searches get the error. */
  repair(shard: string): Promise<void> {
    const running = this.#repairs.get(shard);
    if (running || this.#closing.signal.aborted || !this.#shards.named(shard)) return running ?? Promise.resolve();
    this.#tellOf([{ isOfOtherVersion: false, reason: `the shard ${shard}` }]);
    const repair = this.#inTurn(async () => {
      const damaged = this.#shards.named(shard);
      if (damaged) await this.#rebuildWithout(this.#shards.replace({ built: [], replaced: [damaged] }));
    })
      .catch((error: unknown) => this.#attempts.failed(error))
      .finally(() => this.#repairs.delete(shard));
    this.#repairs.set(shard, repair);
    return repair;
  }

  /** Builds the snapshots of branches over the shards that there are now. Removes old shards once no search uses them. */
  async #rebuildWithout(shards: readonly StoredShard[]): Promise<void> {
    const old = this.#builder.unreleased;
    // HEAD may have moved since the branches were followed.
    const head = this.head.searchable;
    const commits = new Set([...this.#indexed, ...(head === undefined ? [] : [head])]);
    this.#snapshots.clear();
    try {
      await this.#buildAll(commits);
    } finally {
      // Not awaited: a search that holds an old snapshot may wait for a new one.
      this.#dropping = Promise.all(old.map((snapshot) => snapshot.retire()))
        .then(() => this.#shards.drop(shards))
        .catch((error: unknown) => this.#warn(error, 'old files of an index were not removed'));
    }
  }

  /** The snapshots of branches stay; those of other commits go to the cache. */
  async #cacheOthers(): Promise<void> {
    for (const [commit, snapshot] of this.#snapshots)
      if (this.#indexed.has(commit)) this.#options.cache.leave(await snapshot);
      else this.#cacheOther(commit, await snapshot);
  }

  #cacheOther(commit: string, snapshot: Snapshot): void {
    if (this.#indexed.has(commit)) return;
    const building = this.#snapshots.get(commit);
    this.#options.cache.keep(snapshot, () => {
      // The commit may have another snapshot by then.
      if (this.#snapshots.get(commit) === building) this.#snapshots.delete(commit);
      void snapshot.retire();
    });
  }

  /** Does work after all that was begun before, whether that fails or not. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#work.then(work);
    this.#work = result.catch(() => undefined);
    return result;
  }

  /** Files do not change by themselves: it may be the disk. Those of another version are no fault. */
  #tellOf(problems: readonly DataFileProblem[]): void {
    const { log, name: repository } = this.#options;
    const [old, damaged] = [true, false].map((isOld) =>
      problems.flatMap(({ isOfOtherVersion, reason }) => (isOfOtherVersion === isOld ? [reason] : [])).join('; '),
    );
    if (old) log.info({ repository, reason: old }, 'the search index is of another version, and is built again');
    if (damaged) {
      const message = 'a part of the search index is damaged, and is built again';
      log.error({ repository, reason: damaged }, `${message}: ${damaged}`);
    }
  }

  #warn(error: unknown, message: string): void {
    if (!this.#closing.signal.aborted) this.#options.log.warn({ repository: this.#options.name, err: error }, message);
  }
}
