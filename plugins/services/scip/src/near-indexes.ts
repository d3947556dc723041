import type { Repositories, Repository, StoredRepository, GitStore } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { IndexFile } from './index-file.ts';
import type { IndexName } from './index-name.ts';
import type { IndexStore } from './index-store.ts';
import type { NearestCommits } from './nearest-commit.ts';

/** A repository at a commit, opened for a caller. */
export interface OpenCommit {
  readonly repository: Repository;
  readonly stored: StoredRepository;
  readonly commit: string;
}

/** An index of a commit, or of one near to it. */
export interface NearIndex {
  readonly at: OpenCommit;
  readonly name: IndexName;
  readonly file: IndexFile;
}

export interface NearIndexParts {
  readonly repositories: Repositories;
  readonly git: GitStore;
  readonly store: IndexStore;
  readonly nearest: NearestCommits;
}

/** Opens commits and their indexes, as a caller: what the caller may not read is not looked at. */
export class NearIndexes {
  readonly #parts: NearIndexParts;

  constructor(parts: NearIndexParts) {
    this.#parts = parts;
  }

  /** Of the indexes of each root and indexer the nearest. Throws `not_found` as `Repositories` does. */
  async open(
    caller: Caller,
    { repo, revision }: { repo: string; revision?: string },
    signal: AbortSignal,
  ): Promise<NearIndex[]> {
    const { repositories, git } = this.#parts;
    const repository = await repositories.open(caller, repo);
    if (this.#parts.store.of(repository.info.name).length === 0) return [];
    const commit = await repository.resolve(revision, signal);
    const stored = git.find(repository.info.name);
    return stored ? this.#nearest({ repository, stored, commit }, signal) : [];
  }

  /** Those of the default branches of all other repositories that the caller may read. */
  async others(caller: Caller, repo: string, signal: AbortSignal): Promise<NearIndex[]> {
    const readable = await this.#parts.repositories.list(caller);
    const indexed = readable.filter(({ name }) => name !== repo && this.#parts.store.of(name).length > 0);
    return (await Promise.all(indexed.map(({ name }) => this.ofOther(caller, name, signal)))).flat();
  }

  /** Those of the default branch of a repository; none where it is not there (any more). */
  ofOther(caller: Caller, repo: string, signal: AbortSignal): Promise<NearIndex[]> {
    return this.open(caller, { repo }, signal).catch(noneIfGone);
  }

  async #nearest(at: OpenCommit, signal: AbortSignal): Promise<NearIndex[]> {
    const { store, nearest } = this.#parts;
    const found: NearIndex[] = [];
    for (const group of Map.groupBy(store.of(at.repository.info.name), ({ kind }) => kind).values()) {
      const among = group.map(({ commit }) => commit);
      const chosen = await nearest.choose(at.stored, { commit: at.commit, among }, signal);
      const name = group.find(({ commit }) => commit === chosen);
      const file = name && store.open(name);
      if (file) found.push({ at, name, file });
    }
    return found;
  }
}

function noneIfGone(error: unknown): [] {
  if (isSextantError(error) && ['not_found', 'unavailable'].includes(error.code)) return [];
  throw error;
}
