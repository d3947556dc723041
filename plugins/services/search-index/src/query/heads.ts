import type { StoredRepository } from '@sextant/contracts';

/** So long, in milliseconds, is a commit taken for that of the default branch: who searches again at once need not wait for all refs. */
const knownMs = 10;

/** The commits of default branches, as they were a moment ago. */
export class Heads {
  readonly #known = new Map<string, { commit: string | undefined; readAt: number }>();

  async read(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#known.get(repository.name);
    if (known && performance.now() - known.readAt < knownMs) return known.commit;
    const readAt = performance.now();
    const commit = await repository.head(signal);
    this.#known.set(repository.name, { commit, readAt });
    return commit;
  }
}

/** What one search takes for the commits of default branches is what is indexed of them: it runs while the files of git are looked at. */
export class GuessedHeads {
  readonly #heads: Heads;
  readonly #indexedHead: (name: string) => string | undefined;
  readonly #guessed = new Map<StoredRepository, string>();

  constructor(heads: Heads, indexedHead: (name: string) => string | undefined) {
    this.#heads = heads;
    this.#indexedHead = indexedHead;
  }

  async read(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    const indexed = this.#indexedHead(repository.name);
    if (indexed === undefined) return this.#heads.read(repository, signal);
    this.#guessed.set(repository, indexed);
    return indexed;
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
