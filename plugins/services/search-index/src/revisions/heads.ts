import { isSextantError } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';

/** A HEAD that was read is taken as current for this time, in milliseconds: searches in a row do not read refs again. */
const knownMs = 10;
/** With many repositories the time grows by this for each, up to a limit, so that reading HEADs takes little of the time. */
const [knownMsOfEach, longestKnownMs] = [0.1, 500];

/** The commits of default branches, as they were a moment ago. */
export class Heads {
  readonly #known = new Map<string, { commit: string | undefined; readAt: number }>();

  /** The commit, if it was read a moment ago. */
  readAtOnce({ name }: StoredRepository): string | undefined {
    return this.#knownSince(name, this.#oldest);
  }

  #knownSince(name: string, oldest: number): string | undefined {
    const known = this.#known.get(name);
    return known && known.readAt > oldest ? known.commit : undefined;
  }

  /** Commits that were read before this time are read again. */
  get #oldest(): number {
    return performance.now() - Math.max(knownMs, Math.min(longestKnownMs, this.#known.size * knownMsOfEach));
  }

  async read(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    const known = this.readAtOnce(repository);
    if (known !== undefined) return known;
    const readAt = performance.now();
    try {
      const commit = await repository.head(signal);
      this.#known.set(repository.name, { commit, readAt });
      return commit;
    } catch (error) {
      // While a repository is repacked, it is searched as it was.
      const before = this.#known.get(repository.name);
      if (before && isSextantError(error) && error.retryAfterSeconds !== undefined) return before.commit;
      throw error;
    }
  }

  /** Whether each HEAD still is the commit that was taken for it. HEADs read a moment ago are not read again. False if one cannot be read. */
  async areStill(taken: readonly TakenHead[], signal: AbortSignal): Promise<boolean> {
    const oldest = this.#oldest;
    for (const { repository, commit } of taken) {
      if (this.#knownSince(repository.name, oldest) === commit) continue;
      if ((await this.read(repository, signal).catch(() => undefined)) !== commit) return false;
    }
    return true;
  }
}

interface TakenHead {
  readonly repository: StoredRepository;
  readonly commit: string;
}

/** The commits of default branches for one search. */
export type HeadsOfSearch = Pick<Heads, 'read' | 'readAtOnce'>;

/** Takes the commits that are indexed for HEADs, so that a search can run while HEADs are read. */
export class GuessedHeads implements HeadsOfSearch {
  readonly #heads: Heads;
  readonly #indexedHead: (name: string) => string | undefined;
  readonly #guessed: TakenHead[] = [];

  constructor(heads: Heads, indexedHead: (name: string) => string | undefined) {
    this.#heads = heads;
    this.#indexedHead = indexedHead;
  }

  readAtOnce(repository: StoredRepository): string | undefined {
    const indexed = this.#indexedHead(repository.name);
    if (indexed !== undefined) this.#guessed.push({ repository, commit: indexed });
    return indexed;
  }

  async read(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    return this.readAtOnce(repository) ?? this.#heads.read(repository, signal);
  }

  /** Whether all guesses are right. */
  areRight(signal: AbortSignal): Promise<boolean> {
    return this.#heads.areStill(this.#guessed, signal);
  }
}
