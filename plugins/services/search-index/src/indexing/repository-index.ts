import { SextantError } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';
import type { QueryThreads } from '../pool/query-threads.ts';
import { Attempts } from './attempts.ts';
import type { Failure } from './attempts.ts';
import { branchCommits } from './branches.ts';
import { Compaction } from '../shards/compaction.ts';
import { noFiles } from '../snapshot/file-counts.ts';
import type { FileCounts } from '../snapshot/file-counts.ts';
import { HeadsInTurn } from './heads-in-turn.ts';
import { LastView } from '../snapshot/held-view.ts';
import type { HeldView } from '../snapshot/held-view.ts';
import { DamagedIndexError, orIndexFailure } from './index-failure.ts';
import type { StoredShard } from '../pool/protocol.ts';
import type { KeptViews } from '../snapshot/kept-views.ts';
import { LaidViews } from '../snapshot/laid-views.ts';
import { Queue } from './queue.ts';
import { RepositoryReader } from './repository-reader.ts';
import { RepositoryShards } from '../shards/repository-shards.ts';
import type { Merged } from '../shards/repository-shards.ts';
import type { SharedIndex } from '../shards/shared-index.ts';
import { StoredTrees } from '../snapshot/stored-trees.ts';

export interface RepositoryIndexOptions {
  /** The repository as it is now: asked for each time, because it may be replaced. */
  readonly repository: () => StoredRepository | undefined;
  readonly name: string;
  readonly folder: string;
  readonly shared: SharedIndex;
  readonly kept: KeptViews;
  readonly threads: QueryThreads;
  readonly branches: number;
  readonly maxFileBytes: number;
  readonly maxTextBytes: number;
  readonly log: Logger;
  readonly barred: Barred | undefined;
}

/** Why nothing is done for a repository, and for how long. */
export interface Barred {
  readonly error: SextantError;
  readonly pauseMs: number;
}

/** The index of one repository: its shards on disk and in memory, and its commits laid over them. */
export class RepositoryIndex {
  readonly name: string;
  readonly #options: RepositoryIndexOptions;
  readonly #shards: RepositoryShards;
  readonly #trees: StoredTrees;
  readonly #laid: LaidViews;
  /** By commit. */
  readonly #views = new Map<string, Promise<HeldView>>();
  /** Commits whose views somebody waits for, those that were asked for first before others. */
  readonly #awaited = new Set<string>();
  #indexed: ReadonlySet<string> = new Set();
  /** By shard. */
  readonly #repairs = new Map<string, Promise<void>>();
  readonly #queue = new Queue();
  readonly #compaction: Compaction;
  #closing = new AbortController();
  readonly heads: HeadsInTurn;
  readonly last = new LastView();
  readonly #attempts: Attempts;
  /** Why nothing is done for it now. */
  #bar: SextantError | undefined;
  isReady = false;
  /** Of the default branch. */
  counts: FileCounts = noFiles;
  /** Of the default branch: the first object that the repository lacks, or cannot give. */
  firstMissing: string | undefined;

  constructor(options: RepositoryIndexOptions) {
    this.name = options.name;
    this.#options = options;
    const { repository, folder, shared, maxFileBytes } = options;
    const { signal } = this.#closing;
    const reader = new RepositoryReader({ repository, maxFileBytes, signal, state: this });
    const onFailure = (error: unknown): void => this.#warn(error, 'what is known of a commit was not kept');
    this.#trees = new StoredTrees({ folder, reader, onFailure });
    this.#attempts = new Attempts({
      name: this.name,
      tryAgain: () => {
        this.#bar = undefined;
        void this.update();
      },
      tell: (error) => this.#warn(error, 'a repository could not be indexed'),
      signal,
    });
    const { barred } = options;
    this.#bar = barred?.error;
    if (barred) this.#attempts.failed(barred.error, barred.pauseMs);
    this.heads = new HeadsInTurn({
      index: (commit) => this.#viewInTurn(commit),
      onFailure: (error) => this.#attempts.failed(error),
      isKept: (commit) => this.#views.has(commit),
    });
    this.#shards = new RepositoryShards({
      folder,
      shared,
      reader,
      onFailure: (error) => void this.#repairAfter(error),
    });
    const [trees, shards] = [this.#trees, this.#shards];
    const onLeak = (error: unknown): void => this.#warn(error, 'memory of an index was not given back');
    this.#laid = new LaidViews({ ...options, trees, reader, shards, onFailure, onLeak });
    const replace = (merged: Merged): Promise<void> => this.#queue.run(() => this.#leave(shards.replace(merged)));
    this.#compaction = new Compaction({ trees, shards, maxFileBytes, replace });
  }

  /** How far it is, from 0 to 1. */
  get progress(): number {
    return this.isReady ? 1 : this.#shards.builtShare;
  }

  get failure(): Failure | undefined {
    return this.#attempts.failure;
  }

  /** What is wrong with it is told to who needs it. */
  loadAhead(): void {
    if (!this.#bar) void this.#shards.load().catch(() => undefined);
  }

  /** Follows the branches; after it they are answered from the index. */
  async update(): Promise<void> {
    if (this.#bar) return;
    try {
      await this.#queue.run(() => this.#follow());
      await this.#compaction.run(this.#indexed);
    } catch (error) {
      this.#attempts.failed(error);
    }
  }

  async #follow(): Promise<void> {
    const repository = this.#options.repository();
    if (!repository) return;
    const commits = await branchCommits(repository, this.#options.branches, this.#closing.signal);
    const [view] = await this.heads.following(commits[0], this.#viewsOf(commits));
    this.counts = view?.counts ?? noFiles;
    this.firstMissing = view?.firstMissing;
    this.#indexed = new Set(commits);
    await this.#keepOthers();
    await this.#laid.keep(this.#indexed);
    await this.#trees.keepOnly(this.#indexed);
    this.isReady = true;
    this.#attempts.succeeded();
  }

  async #viewsOf(commits: Iterable<string>): Promise<HeldView[]> {
    const views = [];
    for (const commit of commits) views.push(await this.#viewOf(commit));
    return views;
  }

  #warn(error: unknown, message: string): void {
    if (!this.#closing.signal.aborted) this.#options.log.warn({ repository: this.#options.name, err: error }, message);
  }

  /** The files of a commit, to be released after use; indexed now if they are not. */
  async view(commit: string, signal: AbortSignal): Promise<HeldView> {
    for (;;) {
      const view = await orIndexFailure(this.name, this.#viewInTurn(commit), signal);
      if (!view.hold()) continue;
      this.#keepIfOther(commit, view);
      return this.last.set(commit, view);
    }
  }

  /** Adds the keys that shards of some names lack. */
  addKeys(shards: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    return orIndexFailure(this.name, this.#shards.addKeys(shards), signal);
  }

  async #viewInTurn(commit: string): Promise<HeldView> {
    if (this.#bar) throw this.#bar;
    // Nobody waits while it is tried again: what failed before gives way to others, and may take long.
    this.heads.throwIfFailed(commit);
    const known = this.#views.get(commit);
    if (known) return known;
    this.#awaited.add(commit);
    return this.#queue.run(() => this.#otherView(commit));
  }

  /** Of any commit; whoever goes through a history makes room for each by another. */
  async #otherView(commit: string): Promise<HeldView> {
    this.#awaited.delete(commit);
    this.heads.throwIfFailed(commit);
    const view = await this.#viewOf(commit, [...this.#awaited]);
    this.#keepIfOther(commit, view);
    // What only other commits have is indexed too; it must not grow for ever where nothing is pushed.
    if (this.#shards.areMany) void this.update();
    return view;
  }

  async close(): Promise<void> {
    this.#closing.abort(new SextantError('unavailable', 'the server is stopping'));
    await this.#queue.settled;
  }

  async #viewOf(commit: string, next?: readonly string[]): Promise<HeldView> {
    const view = this.#views.get(commit) ?? this.#laid.make(commit, next);
    this.#views.set(commit, view);
    try {
      const made = await view;
      this.heads.laid(commit);
      return made;
    } catch (error) {
      this.#views.delete(commit);
      throw error;
    }
  }

  /** Where a text is damaged it is built anew. */
  async #repairAfter(error: Error): Promise<void> {
    this.#warn(error, 'what makes searches of a repository faster is not all there');
    if (error instanceof DamagedIndexError) await this.repair(error.shard);
  }

  /** Builds what is in a damaged shard anew, once for all who ask for it at the same time; where that fails, whoever searches is told. */
  repair(shard: string): Promise<void> {
    const running = this.#repairs.get(shard);
    if (running || !this.#shards.has(shard)) return running ?? Promise.resolve();
    const repair = this.#queue
      .run(() => this.#buildAnew(shard))
      .catch((error: unknown) => this.#attempts.failed(error))
      .finally(() => this.#repairs.delete(shard));
    this.#repairs.set(shard, repair);
    return repair;
  }

  async #buildAnew(shard: string): Promise<void> {
    const removed = this.#shards.remove(shard);
    if (removed.length > 0) await this.#leave(removed);
  }

  /** Lays commits over the shards that there are now, and removes the others once nobody looks at them. */
  async #leave(shards: readonly StoredShard[]): Promise<void> {
    const views = this.#laid.unreleased;
    // HEAD may have moved on since the branches were followed.
    const head = this.heads.searchable;
    const commits = new Set([...this.#indexed, ...(head === undefined ? [] : [head])]);
    this.#views.clear();
    try {
      await this.#viewsOf(commits);
    } finally {
      // Not waited for: who holds one of these views may be waiting for one of the new ones.
      Promise.all(views.map((view) => view.retire()))
        .then(() => this.#shards.drop(shards))
        .catch((error: unknown) => this.#warn(error, 'old files of an index were not removed'));
    }
  }

  /** What is a branch by now stays, and what is none any more for as long as there is room for it. */
  async #keepOthers(): Promise<void> {
    for (const [commit, view] of this.#views)
      if (this.#indexed.has(commit)) this.#options.kept.leave(await view);
      else this.#keepIfOther(commit, await view);
  }

  #keepIfOther(commit: string, view: HeldView): void {
    if (this.#indexed.has(commit)) return;
    const coming = this.#views.get(commit);
    this.#options.kept.keep(view, () => {
      // It may have been laid anew.
      if (this.#views.get(commit) === coming) this.#views.delete(commit);
      void view.retire();
    });
  }
}
