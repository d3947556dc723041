import type { StoredRepository } from '@sextant/contracts';

/** So long, in milliseconds, is a commit taken for that of the default branch: who searches again at once need not wait for all refs. */
const knownMs = 10;

/** The commits of default branches, as they were a moment ago. */
export class Heads {
  readonly #known = new Map<string, { commit: string | undefined; readAt: number }>();

  async of(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    const known = this.#known.get(repository.name);
    if (known && performance.now() - known.readAt < knownMs) return known.commit;
    const readAt = performance.now();
    const commit = await repository.head(signal);
    this.#known.set(repository.name, { commit, readAt });
    return commit;
  }
}
