import { hashesIn } from '@sextant/contracts';
import type { GitStore, Repositories, Repository, StoredRepository } from '@sextant/contracts';
import { isSextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import type { IndexDatabase } from './index-database.ts';
import type { IndexName, IndexStore } from './index-store.ts';

/** A repository at a commit, opened for a caller. */
interface OpenCommit {
  readonly repository: Repository;
  readonly stored: StoredRepository;
  readonly commit: string;
}

/** An index of a commit, or of one near to it. */
export interface NearIndex {
  readonly at: OpenCommit;
  readonly name: IndexName;
  readonly file: IndexDatabase;
}

interface NearIndexParts {
  readonly repositories: Repositories;
  readonly git: GitStore;
  readonly store: IndexStore;
  readonly nearest: NearestCommits;
}

/** Opens commits and their indexes with the rights of a caller. What the caller may not read does not exist here. */
export class NearIndexes {
  readonly #parts: NearIndexParts;

  constructor(parts: NearIndexParts) {
    this.#parts = parts;
  }

  /** The nearest index of each root and indexer. Throws `not_found` as `Repositories` does. */
  async open(
    caller: Caller,
    { repo, revision, isNamed = true }: { repo: string; revision?: string; isNamed?: boolean },
    signal: AbortSignal,
  ): Promise<NearIndex[]> {
    const { repositories, git } = this.#parts;
    const repository = await repositories.open(caller, repo, { isNamed });
    if (this.#parts.store.of(repository.info.name).length === 0) return [];
    const commit = await repository.resolve(revision, signal);
    const stored = await git.find(repository.info.name);
    return stored ? this.#nearest({ repository, stored, commit }, signal) : [];
  }

  /** The indexes of the default branches of all other repositories that the caller may read. */
  async others(caller: Caller, repo: string, signal: AbortSignal): Promise<NearIndex[]> {
    const readable = await this.#parts.repositories.list(caller);
    const indexed = readable.filter(({ name }) => name !== repo && this.#parts.store.of(name).length > 0);
    return (await Promise.all(indexed.map(({ name }) => this.ofOther(caller, name, signal)))).flat();
  }

  /** The indexes of the default branch of a repository. Empty if the repository is gone. */
  ofOther(caller: Caller, repo: string, signal: AbortSignal): Promise<NearIndex[]> {
    return this.open(caller, { repo, isNamed: false }, signal).catch(noneIfGone);
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

/** Most commits between a commit and its index. An index that is farther away says too little. */
const farthest = 1000;
const rememberedChoices = 1000;

/** Finds the nearest ancestor or descendant of a commit among others. */
export class NearestCommits {
  readonly #chosen = new LRUCache<string, { readonly commit: string | undefined }>({ max: rememberedChoices });

  async choose(
    repository: StoredRepository,
    { commit, among }: { commit: string; among: readonly string[] },
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (among.includes(commit)) return commit;
    if (among.length === 0) return undefined;
    const key = [repository.name, commit, ...among.toSorted()].join('\0');
    const known = this.#chosen.get(key) ?? { commit: await nearest(repository, { commit, among }, signal) };
    this.#chosen.set(key, known);
    return known.commit;
  }
}

async function nearest(
  repository: StoredRepository,
  { commit, among }: { commit: string; among: readonly string[] },
  signal: AbortSignal,
): Promise<string | undefined> {
  const ancestors = await ancestorsOf(repository, commit, signal);
  let best: { commit: string; distance: number } | undefined;
  for (const candidate of among) {
    const distance = ancestors.get(candidate) ?? (await ancestorsOf(repository, candidate, signal)).get(commit);
    if (distance !== undefined && (!best || distance < best.distance)) best = { commit: candidate, distance };
  }
  return best?.commit;
}

/** The ancestors of a commit with their distance. Empty if the commit is gone. */
async function ancestorsOf(
  repository: StoredRepository,
  commit: string,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const commits = await repository.graph({ include: [commit], most: farthest }, { signal });
  return new Map(hashesIn(commits).map((hash, distance) => [hash, distance]));
}
