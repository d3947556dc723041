import { SextantError, isSextantError } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';

const namesShown = 10;
const reasonsShown = 5;
/** Failures of one repository that say nothing of the others. */
const ofRepository: readonly ErrorCode[] = ['unavailable', 'timeout', 'too_large'];

interface Reason {
  /** Of the repository, as it is shown. */
  readonly name: string;
  readonly error: SextantError;
}

/** Repositories that a search goes on without, because they cannot be read or are not indexed yet. */
export class LeftOut {
  readonly #repositories = new Map<string, Reason>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The work's result; undefined when the repository cannot be searched, which is noted with the time since when that is so. */
  async orWithout<T>(
    repository: string,
    work: () => Promise<T>,
    since: () => Date | undefined = () => undefined,
  ): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!isSextantError(error) || !ofRepository.includes(error.code)) throw error;
      this.add(repository, error, since());
      return undefined;
    }
  }

  add(repository: string, error: SextantError, since?: Date): void {
    const name = since ? `${repository} since ${since.toISOString()}` : repository;
    this.#repositories.set(repository, { name, error });
  }

  get isEmpty(): boolean {
    return this.#repositories.size === 0;
  }

  /** Sentences for the caller, none where all were searched. */
  get notes(): string[] {
    const reasons = [...new Set([...this.#repositories.values()].map(({ error }) => error.message))];
    if (reasons.length === 0) return [];
    const shown = reasons.slice(0, reasonsShown).map((reason) => this.#becauseOf(reason));
    const more = reasons.length > reasonsShown ? `; and others, for ${reasons.length - reasonsShown} more reasons` : '';
    return [`Not searched: ${shown.join('; ')}${more}.`];
  }

  /**
   * What is missing is the only answer where nothing was found and it will soon be there, or nothing else was searched: never "no matches" for
   * want of an index. A repository that stays unreadable ends no search over others.
   */
  throwUnlessFound({ results, searched }: { results: number; searched: number }): void {
    const reasons = [...this.#repositories.values()].map(({ error }) => error);
    const soon = reasons.find(({ retryAfterSeconds: seconds }) => seconds !== undefined);
    const reason = soon ?? (searched === 0 ? reasons[0] : undefined);
    if (results > 0 || !reason) return;
    const { code, message, retryAfterSeconds } = reason;
    const text = `nothing was found, but not all was searched: ${this.#becauseOf(message)}`;
    throw new SextantError(code, text, {
      cause: reason,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }

  #becauseOf(reason: string): string {
    const because = [...this.#repositories.values()].filter(({ error }) => error.message === reason);
    const names = because.map(({ name }) => name);
    const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
    return `${names.slice(0, namesShown).join(', ')}${more} (${reason})`;
  }
}
