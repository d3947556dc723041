import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { GitStore, StoredRepository } from '@sextant/contracts';
import { SextantError, isSextantError, messageOf, operatorReason } from '@sextant/core';
import type { DataFileProblem, Logger, ServiceFailure, ServiceProgress, ServiceStatus } from '@sextant/core';
import { indexFolderOf, IndexQueue, removeOtherIndexes, ServedNames, ThreadError } from '@sextant/library-workers';
import type { IndexTurn } from '@sextant/library-workers';
import { RepositoryIndex } from './indexing/repository-index.ts';
import { indexingTime } from './limits.ts';
import { reasonOf } from './search-failures.ts';
import type { Contributor } from './loaded/contributor-counts.ts';
import { HistoryThreads } from './threads/history-threads.ts';
import type { SearchAnswer, SearchJob } from './threads/search-server.ts';

export interface HistoryIndexParts {
  readonly store: GitStore;
  readonly folder: string;
  readonly log: Logger;
  /** Days for which commits stay in the index that no branch or tag reaches any more. */
  readonly unreachableDays: number;
  /** Most bytes of changed lines and messages of one repository. */
  readonly indexBytes: number;
}

export type IndexSearch = Omit<SearchJob, 'set' | 'stop' | 'milliseconds'>;
export type FoundInIndex = Extract<SearchAnswer, { kind: 'found' }> & { readonly isShallow: boolean };

/** Errors of threads that mean that files of the index are damaged or gone. */
const damages: readonly string[] = ['DamagedShardError', 'DamagedTablesError', 'ENOENT'];

const secondsOfDay = 86_400;

/** Most repetitions of a search whose shards change meanwhile. */
const mostAttempts = 5;

/** The indexed history of all repositories. It is searched in threads, and brought up to date after each change. */
export class HistoryIndex {
  readonly #parts: HistoryIndexParts;
  readonly #repositories = new Map<string, RepositoryIndex>();
  readonly #queue: IndexQueue;
  readonly #threads = new HistoryThreads();
  readonly #served: ServedNames;
  #listing: Promise<void> | undefined;
  #hasStarted = false;
  #unlisten: (() => void) | undefined;
  #daily: NodeJS.Timeout | undefined;

  constructor(parts: HistoryIndexParts) {
    this.#parts = parts;
    this.#served = new ServedNames(parts.store);
    this.#queue = new IndexQueue({
      update: (name, turn) => this.#update(name, turn),
      onFailure: (repository, error) =>
        parts.log.warn({ repository, reason: messageOf(error) }, 'history was not indexed'),
      turnSeconds: indexingTime.turnSeconds,
      most: { seconds: indexingTime.mostSeconds, error: tooLate },
    });
  }

  start(): void {
    const { store } = this.#parts;
    this.#unlisten = store.onChange((name) => {
      this.#queue.add(name);
      void this.#served.has(name);
    });
    this.#listing = this.#begin();
    this.#daily = setInterval(() => this.#pruneOld(), secondsOfDay * 1000).unref();
  }

  /** Before the repositories are known nothing counts as indexed. */
  async #begin(): Promise<void> {
    const { store, folder } = this.#parts;
    const names = await this.#served.listAll();
    removeOtherIndexes(folder, await store.names());
    this.#queue.start(names);
    this.#hasStarted = true;
  }

  /** Searches one repository. The answer also says which commits git must answer for. An aborted search answers what it has found. */
  async search(repository: StoredRepository, job: IndexSearch, signal: AbortSignal): Promise<FoundInIndex> {
    const { name } = repository;
    const index = this.#index(name);
    await this.#listing;
    this.#queue.prefer(name);
    for (let attempt = 0; ; attempt += 1) {
      const shallow = await repository.shallow(signal);
      if (index.isOutdated(shallow)) this.#queue.add(name);
      try {
        const answer = await this.#threads.search(
          { ...job, set: await index.mappedSet({ repository, shallow, signal }) },
          {
            signal,
            tellMissing: (client, hashes) => index.tellMissing(client, hashes, { repository, shallow, signal }),
          },
        );
        if (answer.kind === 'found') return { ...answer, isShallow: shallow !== '' };
        // The shards may have changed since the thread was told of missing commits.
        if (attempt === mostAttempts) throw new Error(`the history of ${name} changes all the time`);
      } catch (error) {
        if (!(error instanceof ThreadError) || !damages.includes(error.code) || attempt === mostAttempts) throw error;
        // The first time the files may be gone only because shards were merged meanwhile.
        if (attempt > 0) this.#repair(index, { name, shallow, reason: error.message });
      }
    }
  }

  /** Who contributed to what `head` reaches; undefined while not all of it is indexed. */
  async contributors(
    repository: StoredRepository,
    head: string,
    signal: AbortSignal,
  ): Promise<readonly Contributor[] | undefined> {
    const shallow = await repository.shallow(signal);
    const index = this.#index(repository.name);
    if (index.set(shallow).shards.length === 0) return undefined;
    try {
      const set = await index.mappedSet({ repository, shallow, signal });
      return await this.#threads.quick.call('people', { set, head });
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /** Resolves when nothing waits to be indexed. */
  async settled(): Promise<void> {
    await this.#listing;
    await this.#queue.whenIdle();
  }

  status(): ServiceStatus {
    const commits = [...this.#repositories.values()].reduce((sum, each) => sum + each.commits, 0);
    const detail = { indexedCommits: commits, waitingRepositories: this.#queue.length };
    const failed = this.#queue.failures.map(({ error, ...failure }) => ({ ...failure, reason: reasonFor(error) }));
    const failures = [...failed, ...this.#lacking(failed)];
    const isReady = this.#hasStarted && this.#queue.isSettled;
    return {
      isReady,
      detail,
      ...(!isReady && { progress: this.#progress() }),
      ...(failures.length > 0 && { failures }),
    };
  }

  async close(): Promise<void> {
    this.#unlisten?.();
    clearInterval(this.#daily);
    await this.#listing;
    await this.#queue.close();
    await this.#threads.close();
  }

  /** Repositories that are indexed but for the changes of some commits. */
  #lacking(others: readonly ServiceFailure[]): ServiceFailure[] {
    return [...this.#repositories].flatMap(([name, { failedCommits }]) =>
      failedCommits === 0 || others.some((other) => other.name === name)
        ? []
        : [
            {
              name,
              reason: `the changes of ${failedCommits === 1 ? 'a commit' : `${failedCommits} commits`} could not be read, so their lines are not searched: the repository lacks objects, or is damaged; "git fsck" names them`,
            },
          ],
    );
  }

  /** Parts of repositories count, too: the number of indexed commits grows only with each whole shard. */
  #progress(): ServiceProgress {
    const known = [...new Set([...(this.#served.known ?? []), ...this.#repositories.keys()])];
    const done = known.reduce((sum, name) => sum + (this.#repositories.get(name)?.progress ?? 0), 0);
    return { done, total: known.length, unit: 'histories indexed' };
  }

  #repair(index: RepositoryIndex, { name, shallow, reason }: { name: string; shallow: string; reason: string }): void {
    this.#parts.log.warn({ repository: name, reason }, 'the index of history is damaged and is made again');
    index.clear(shallow);
    this.#queue.add(name);
  }

  /** Unreachable commits grow old without any change in the repository. */
  #pruneOld(): void {
    for (const [name, index] of this.#repositories) if (index.hasLeft) this.#queue.add(name);
  }

  async #update(name: string, { isOver, signal }: IndexTurn): Promise<boolean> {
    await this.#parts.store.untilQuiet(signal);
    const repository = await this.#parts.store.find(name);
    const index = this.#index(name);
    if (repository) {
      const shallow = await repository.shallow(signal);
      return index.update({ repository, shallow, processes: Math.min(4, availableParallelism()), isOver, signal });
    }
    // A repository that cannot be read now may be readable later.
    if ((await this.#parts.store.names()).includes(name)) return true;
    this.#repositories.delete(name);
    index.remove();
    return true;
  }

  /** Files do not change by themselves: it may be the disk. Those of another version are no fault. */
  #tellOf(repository: string, problem: DataFileProblem | undefined): void {
    const { log } = this.#parts;
    if (problem?.isOfOtherVersion === true)
      log.info({ repository, reason: problem.reason }, 'the index of history is of another version, and is made again');
    else if (problem)
      log.error({ repository, reason: problem.reason }, 'the index of history is damaged, and is made again');
  }

  #index(name: string): RepositoryIndex {
    const known = this.#repositories.get(name) ?? this.#open(name);
    this.#repositories.set(name, known);
    return known;
  }

  #open(name: string): RepositoryIndex {
    const keepSeconds = this.#parts.unreachableDays * secondsOfDay;
    const parts = { threads: this.#threads, keepSeconds, mostBytes: this.#parts.indexBytes };
    const index = new RepositoryIndex(join(this.#parts.folder, indexFolderOf(name)), parts);
    this.#tellOf(name, index.problem);
    return index;
  }
}

const reasonFor = (error: unknown): string => (isSextantError(error) ? operatorReason(error) : reasonOf(error));

const tooLate = (): SextantError =>
  new SextantError(
    'timeout',
    `its history is not indexed after ${indexingTime.mostSeconds / 60} minutes of work; the newest commits are, git answers for the others`,
  );
