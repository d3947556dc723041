import { SextantError, isSextantError } from '@sextant/core';

const namesShown = 10;

/** Repositories that a search goes on without, because they cannot be read or are not indexed yet. */
export class LeftOut {
  /** As they are shown. */
  readonly #names = new Map<string, string>();
  #first: SextantError | undefined;

  /** The work's result; undefined when the repository is not available, which is noted with the time since when that is so. */
  async orWithout<T>(
    repository: string,
    work: () => Promise<T>,
    since: () => Date | undefined = () => undefined,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!isSextantError(error) || error.code !== 'unavailable') throw error;
      this.add(repository, error, since());
      return undefined;
    }
  }

  add(repository: string, reason: SextantError, since?: Date): void {
    this.#names.set(repository, since ? `${repository} since ${since.toISOString()}` : repository);
    this.#first ??= reason;
  }

  get isEmpty(): boolean {
    return this.#names.size === 0;
  }

  /** Sentences for the caller, none where all were searched. */
  get notes(): string[] {
    return this.#first ? [`Not searched: ${this.#shownNames} (${this.#first.message}).`] : [];
  }

  /** What is missing is the only answer where nothing else was found: never "no matches" for want of an index. */
  throwUnlessFound(results: number): void {
    if (results > 0 || !this.#first) return;
    const { code, message, retryAfterSeconds } = this.#first;
    const text = `nothing was found, but not all was searched: ${this.#shownNames} (${message})`;
    throw new SextantError(code, text, {
      cause: this.#first,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }

  get #shownNames(): string {
    const names = [...this.#names.values()];
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
    return `${names.slice(0, namesShown).join(', ')}${more}`;
  }
}
