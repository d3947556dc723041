import { isSextantError } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';

/** A HEAD that was read is taken as current for this time, in milliseconds: searches in a row do not read refs again. */
const knownMs = 10;
/** With many repositories the time grows by this for each, up to a limit, so that reading HEADs takes little of the time. */
const [knownMsOfEach, longestKnownMs] = [0.1, 500];

/** The commits of default branches, as they were a moment ago. */
export class Heads {
  readonly #known = new Map<string, { commit: string | undefined; readAt: number }>();

  /** Undefined where a repository has no commit. */
  async read(repository: StoredRepository, signal: AbortSignal): Promise<string | undefined> {
    const readAt = performance.now();
    const known = this.#known.get(repository.name);
    if (known?.commit !== undefined && known.readAt > readAt - this.#knownMs) return known.commit;
    try {
      const commit = await repository.head(signal);
      this.#known.set(repository.name, { commit, readAt });
      return commit;
    } catch (error) {
      // While a repository is repacked, it is searched as it was.
      if (known && isSextantError(error) && error.retryAfterSeconds !== undefined) return known.commit;
      throw error;
    }
  }

  get #knownMs(): number {
    return Math.max(knownMs, Math.min(longestKnownMs, this.#known.size * knownMsOfEach));
  }
}
