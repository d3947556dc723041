import type { StoredRepository } from '@sextant/contracts';

/** So long, in milliseconds, is a commit taken for that of the default branch: who searches again at once need not wait for all refs. */
const knownMs = 10;

interface Known {
  readonly commit: string | undefined;
  readonly readAt: number;
}

/** The commits of default branches, as they were when someone last looked. */
export class Heads {
  readonly #known = new Map<string, Known>();

  async read(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#known.get(repository.name);
    if (known && performance.now() - known.readAt < knownMs) return known.commit;
    const readAt = performance.now();
    const commit = await repository.head(signal);
    this.#known.set(repository.name, { commit, readAt });
    return commit;
  }

  /** As it was at any time. */
  remembered(repository: StoredRepository): string | undefined {
    return this.#known.get(repository.name)?.commit;
  }
}

/** The commits that one search takes for those of default branches: the search runs while the files of git are looked at. */
export class GuessedHeads {
  readonly #heads: Heads;
  readonly #guessed = new Map<StoredRepository, string>();

  constructor(heads: Heads) {
    this.#heads = heads;
  }

  async read(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    const remembered = this.#heads.remembered(repository);
    if (remembered === undefined) return this.#heads.read(repository, signal);
    this.#guessed.set(repository, remembered);
    return remembered;
  }

  /** Whether all of them still are; what is no longer there is not. */
  async areRight(signal: AbortSignal): Promise<boolean> {
    // Threads are told what to search before this one is busy.
    await new Promise((resolve) => setImmediate(resolve));
    for (const [repository, guessed] of this.#guessed) {
      const commit = await this.#heads.read(repository, signal).catch(() => undefined);
      if (commit !== guessed) return false;
    }
    return true;
  }
}
