import { joinSignals, timeoutSignal } from '@sextant/core';
import { LRUCache } from 'lru-cache';

/** Milliseconds after which work is given up that nobody may wait for any more. */
const longestMs = 30_000;

/**
 * What pages show of a commit, and do not wait for: each is worked out once, however many ask for it. The work goes on
 * after the visitor has left, so that the next page has it. The key says everything that it depends on.
 */
export class Remembered<T extends object> {
  readonly #known: LRUCache<string, T, (signal: AbortSignal) => Promise<T | undefined>>;

  constructor(most: number) {
    this.#known = new LRUCache({
      max: most,
      fetchMethod: async (_key, _stale, { signal, context }) => {
        const late = joinSignals(signal, timeoutSignal(longestMs));
        try {
          return await context(late);
        } catch (error) {
          if (late.aborted) return undefined;
          throw error;
        }
      },
    });
  }

  /** Whoever asks may know it: they could open the repository. What is undefined, not whole, or fails, is worked out again. */
  async find(
    key: readonly string[],
    work: (signal: AbortSignal) => Promise<T | undefined>,
    isWhole: (found: T) => boolean = () => true,
  ): Promise<T | undefined> {
    const joined = key.join('\n');
    const found = await this.#known.fetch(joined, { context: work });
    if (found && !isWhole(found)) this.#known.delete(joined);
    return found;
  }
}
