import { hash } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { GitStore, StoredRepository } from '@sextant/contracts';
import type { Logger, ServiceProgress, ServiceStatus } from '@sextant/core';
import { ThreadError } from '@sextant/library-workers';
import { ShallowFiles } from './git/shallow.ts';
import { IndexFailures } from './indexing/index-failures.ts';
import type { PersonCount, SearchAnswer, SearchJob } from './threads/thread-calls.ts';
import { RepositoryIndex } from './indexing/repository-index.ts';
import { HistoryThreads } from './threads/history-threads.ts';
import { IndexingTurns } from './indexing/indexing-turns.ts';

export interface HistoryIndexParts {
  readonly store: GitStore;
  readonly folder: string;
  readonly log: Logger;
  /** Days for which commits are kept that no branch or tag reaches any more. */
  readonly unreachableDays: number;
  /** Most bytes of changed lines and messages of one repository. */
  readonly indexBytes: number;
}

export type IndexSearch = Omit<SearchJob, 'set' | 'stop' | 'milliseconds'>;
export type FoundInIndex = Extract<SearchAnswer, { kind: 'found' }> & { readonly isShallow: boolean };

/** Failures of threads that mean that files are damaged or gone. */
const damages: readonly string[] = ['DamagedShardError', 'DamagedTablesError', 'ENOENT'];

const secondsOfDay = 86_400;

/** Searches of shards that change meanwhile. */
const mostAttempts = 5;

/** The history of all repositories, as far as it is indexed, and the work that indexes the rest. */
export class HistoryIndex {
  readonly #parts: HistoryIndexParts;
  readonly #repositories = new Map<string, RepositoryIndex>();
  readonly #shallow = new ShallowFiles();
  readonly #waiting = new Set<string>();
  /** Those of the waiting that somebody has searched: they come first. */
  readonly #wanted = new Set<string>();
  readonly #stop = new AbortController();
  readonly #failures: IndexFailures;
  readonly #turns = new IndexingTurns();
  readonly #threads: HistoryThreads;
  #working: Promise<void> | undefined;
  /** Those that have been neither read to the end nor given up for now. */
  readonly #unsettled = new Set<string>();
  #hasStarted = false;
  #unlisten: (() => void) | undefined;
  #daily: NodeJS.Timeout | undefined;

  constructor(parts: HistoryIndexParts) {
    this.#parts = parts;
    this.#failures = new IndexFailures(parts.log, (name) => this.#enqueue(name));
    this.#threads = new HistoryThreads((client) => {
      for (const repository of this.#repositories.values()) repository.tellMailmap(client);
    });
  }

  start(): void {
    this.#unlisten = this.#parts.store.onChange((name) => this.#enqueue(name));
    for (const { name } of this.#parts.store.list()) {
      this.#unsettled.add(name);
      this.#enqueue(name);
    }
    this.#removeOthers();
    this.#daily = setInterval(() => this.#lookAtLeft(), secondsOfDay * 1000).unref();
    this.#hasStarted = true;
  }

  /** What the index finds, and which commits it cannot answer for. The signal ends it with what was found. */
  async search(repository: StoredRepository, job: IndexSearch, signal: AbortSignal): Promise<FoundInIndex> {
    const index = this.#index(repository.name);
    if (this.#waiting.has(repository.name)) this.#wanted.add(repository.name);
    for (let attempt = 0; ; attempt += 1) {
      const shallow = await this.#shallow.state(repository, signal);
      if (index.isOutdated(shallow)) this.#enqueue(repository.name);
      const asked = { signal, tellMissing: this.#tellMissing(index, { repository, shallow, signal }) };
      try {
        const answer = await this.#threads.search({ ...job, set: index.set(shallow) }, asked);
        if (answer.kind === 'found') return { ...answer, isShallow: shallow !== '' };
        // What was told may have been of other shards: they change while they are made.
        if (attempt === mostAttempts) throw new Error(`the history of ${repository.name} changes all the time`);
      } catch (error) {
        if (!(error instanceof ThreadError) || !damages.includes(error.code) || attempt === mostAttempts) throw error;
        // Once it may be that shards were merged meanwhile.
        if (attempt > 0) this.#repair(index, { name: repository.name, shallow, reason: error.message });
      }
    }
  }

  /** Who contributed to what a commit reaches; undefined where not all of it is indexed. */
  async people(
    repository: StoredRepository,
    head: string,
    signal: AbortSignal,
  ): Promise<readonly PersonCount[] | undefined> {
    const shallow = await this.#shallow.state(repository, signal);
    const set = this.#index(repository.name).set(shallow);
    if (set.shards.length === 0) return undefined;
    return this.#threads.quick.call('people', { set, head }).catch(() => undefined);
  }

  /** Resolves when nothing waits to be indexed. */
  async settled(): Promise<void> {
    await this.#working;
  }

  status(): ServiceStatus {
    const commits = [...this.#repositories.values()].reduce((sum, each) => sum + each.commits, 0);
    const waiting = this.#waiting.size + (this.#working ? 1 : 0);
    const detail = { indexedCommits: commits, waitingRepositories: waiting };
    const failures = this.#failures.list;
    const isReady = this.#hasStarted && this.#unsettled.size === 0;
    return {
      isReady,
      detail,
      ...(!isReady && { progress: this.#progress() }),
      ...(failures.length > 0 && { failures }),
    };
  }

  /** Commits are counted when a shard of them is whole; this moves meanwhile. */
  #progress(): ServiceProgress {
    const served = this.#parts.store.list();
    const done = served.reduce((sum, { name }) => sum + (this.#repositories.get(name)?.progress ?? 0), 0);
    return { done, total: served.length, unit: 'histories indexed' };
  }

  async close(): Promise<void> {
    this.#unlisten?.();
    clearInterval(this.#daily);
    this.#waiting.clear();
    this.#wanted.clear();
    this.#stop.abort(new Error('the server stops'));
    this.#failures.close();
    await this.#working;
    await this.#threads.close();
  }

  #tellMissing(
    index: RepositoryIndex,
    request: { repository: StoredRepository; shallow: string; signal: AbortSignal },
  ) {
    return (...[client, hashes]: Parameters<Parameters<HistoryThreads['search']>[1]['tellMissing']>): Promise<void> =>
      index.tellMissing(client, hashes, request);
  }

  #repair(index: RepositoryIndex, { name, shallow, reason }: { name: string; shallow: string; reason: string }): void {
    this.#parts.log.warn({ repository: name, reason }, 'the index of history is damaged and is made again');
    index.clear(shallow);
    this.#enqueue(name);
  }

  /** Nothing tells that what is left has become old enough. */
  #lookAtLeft(): void {
    for (const [name, index] of this.#repositories) if (index.hasLeft) this.#enqueue(name);
  }

  #enqueue(name: string): void {
    if (this.#stop.signal.aborted) return;
    this.#waiting.add(name);
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined;
    });
  }

  async #work(): Promise<void> {
    for (let name = this.#next(); name !== undefined; name = this.#next()) {
      this.#waiting.delete(name);
      this.#wanted.delete(name);
      try {
        const update = (isOver: () => boolean): Promise<boolean> => this.#update(name, isOver);
        if (await this.#turns.take(name, { update, doOthersWait: () => this.#waiting.size > 0 })) this.#succeeded(name);
        else this.#enqueue(name);
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        this.#failures.add(name, error);
        this.#unsettled.delete(name);
      }
    }
  }

  #succeeded(name: string): void {
    this.#failures.remove(name);
    this.#unsettled.delete(name);
  }

  #next(): string | undefined {
    const [wanted] = this.#wanted;
    const [waiting] = this.#waiting;
    return wanted ?? waiting;
  }

  async #update(name: string, isOver: () => boolean): Promise<boolean> {
    const { signal } = this.#stop;
    await this.#parts.store.untilQuiet(signal);
    const repository = this.#parts.store.find(name);
    const index = this.#index(name);
    if (repository) {
      const shallow = await this.#shallow.state(repository, signal);
      return index.update({ repository, shallow, processes: Math.min(4, availableParallelism()), isOver, signal });
    }
    // One that cannot be read now may be read again.
    if (this.#parts.store.names().includes(name)) return true;
    this.#repositories.delete(name);
    this.#shallow.forget(name);
    index.remove();
    return true;
  }

  #index(name: string): RepositoryIndex {
    const known = this.#repositories.get(name) ?? this.#open(name);
    this.#repositories.set(name, known);
    return known;
  }

  #open(name: string): RepositoryIndex {
    const keepSeconds = this.#parts.unreachableDays * secondsOfDay;
    const parts = { threads: this.#threads, keepSeconds, mostBytes: this.#parts.indexBytes };
    return new RepositoryIndex(this.#folderOf(name), parts);
  }

  #folderOf(name: string): string {
    return join(this.#parts.folder, hash('sha256', name, 'hex').slice(0, 32));
  }

  /** Of repositories that are served no more nothing is left behind. */
  #removeOthers(): void {
    const { folder, store } = this.#parts;
    if (!existsSync(folder)) return;
    const served = new Set(store.names().map((name) => this.#folderOf(name)));
    for (const each of readdirSync(folder))
      if (!served.has(join(folder, each))) rmSync(join(folder, each), { recursive: true, force: true });
  }
}
