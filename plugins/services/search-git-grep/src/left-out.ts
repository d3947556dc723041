import { isSextantError } from '@sextant/core';
import type { SextantError } from '@sextant/core';

const namesShown = 5;

/** Repositories that a search goes on without, for the caller to know. */
export class LeftOut {
  readonly #names = new Set<string>();
  #reason: SextantError | undefined;

  /** Does the work for a repository and notes that it is not available now. Throws any other error. */
  async orWithout(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isSextantError(error) || error.code !== 'unavailable') throw error;
      this.#names.add(name);
      this.#reason ??= error;
    }
  }

  /** Sentences for the caller, none where all were searched. */
  get notes(): string[] {
    const names = [...this.#names];
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
    return this.#reason
      ? [`Not searched: ${names.slice(0, namesShown).join(', ')}${more}. ${this.#reason.message}.`]
      : [];
  }

  get isEmpty(): boolean {
    return this.#reason === undefined;
  }

  /** That nothing was found is not said where nothing was searched. */
  throwUnlessFound(searched: number): void {
    if (searched === 0 && this.#reason) throw this.#reason;
  }
}
