import { isSextantError } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';

/** So long, in milliseconds, is a commit taken for that of the default branch: who searches again at once need not wait for all refs. */
const knownMs = 10;
/** Of many repositories so much longer for each, that no more than a twentieth of the time goes into looking, and never longer than this. */
const [knownMsOfEach, longestKnownMs] = [0.1, 500];

/** The commits of default branches, as they were a moment ago. */
export class Heads {
  readonly #known = new Map<string, { commit: string | undefined; readAt: number }>();

  /** Undefined where it must be read. */
  readAtOnce({ name }: StoredRepository): string | undefined {
    return this.#knownSince(name, this.#oldest);
  }

  #knownSince(name: string, oldest: number): string | undefined {
    const known = this.#known.get(name);
    return known && known.readAt > oldest ? known.commit : undefined;
  }

  /** What was read before this is read again. */
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
      // While its files change, as when it is packed anew, a repository is searched as it was.
      const before = this.#known.get(repository.name);
      if (before && isSextantError(error) && error.retryAfterSeconds !== undefined) return before.commit;
      throw error;
    }
  }

  /** Whether some are what they are taken for, as far as that was looked at a moment ago. */
  areKnown(taken: readonly TakenHead[]): boolean {
    const oldest = this.#oldest;
    return taken.every(({ repository, commit }) => this.#knownSince(repository.name, oldest) === commit);
  }

  /** Whether some are still what they are taken for; what is no longer there is not. */
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

/** What one search takes for the commits of default branches is what is indexed of them: it runs while the files of git are looked at. */
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

  /** Whether all of them are still right. */
  async areRight(signal: AbortSignal): Promise<boolean> {
    // Most searches that follow one another need not wait for anything.
    if (this.#heads.areKnown(this.#guessed)) return true;
    // Threads are told what to search before this one is busy.
    await new Promise((resolve) => setImmediate(resolve));
    return this.#heads.areStill(this.#guessed, signal);
  }
}
