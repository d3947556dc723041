import { SextantError, isSextantError } from '@sextant/core';
import type { ErrorCode } from '@sextant/core';

const namesShown = 10;
const reasonsShown = 5;
/** Failures of one repository that say nothing of the others. */
const ofRepository: readonly ErrorCode[] = ['unavailable', 'timeout', 'too_large'];

/** A repository that could not be searched. */
export interface LeftOutRepository {
  readonly repo: string;
  /** For callers who may read the repository. The log says more to the operator. */
  readonly reason: string;
  /** When it became so, where that is known. */
  readonly since?: Date | undefined;
}

/** The sentence of every answer about what was left out and why. Empty where nothing was. */
export function notSearched(leftOut: readonly LeftOutRepository[]): string[] {
  return leftOut.length === 0 ? [] : [`Not searched: ${leftOutAndWhy(leftOut)}.`];
}

const nothingFound = 'nothing was found, but not all was searched: ';

/** The same sentence for a part of a search that threw, because it found nothing and not all of it was searched. */
export const partNotSearched = ({ message }: SextantError): string =>
  message.startsWith(nothingFound)
    ? `Not searched: ${message.slice(nothingFound.length)}.`
    : `Not searched: ${message}.`;

/** Names by their reasons: `a, b since 2026-01-02T03:04:05.000Z (git could not read it); c (it is being cloned)`. */
function leftOutAndWhy(leftOut: readonly LeftOutRepository[]): string {
  const byReason = Map.groupBy(leftOut, ({ reason }) => reason);
  const shown = [...byReason].slice(0, reasonsShown).map(([reason, each]) => `${namesOf(each)} (${reason})`);
  const more = byReason.size - reasonsShown;
  return `${shown.join('; ')}${more > 0 ? `; and others, for ${more} more reasons` : ''}`;
}

function namesOf(leftOut: readonly LeftOutRepository[]): string {
  const names = leftOut.map(({ repo, since }) => (since ? `${repo} since ${since.toISOString()}` : repo));
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  return `${names.slice(0, namesShown).join(', ')}${more}`;
}

/** Collects the repositories that a search leaves out, because they cannot be read or are not indexed yet. */
export class LeftOut {
  readonly #errors = new Map<string, { readonly error: SextantError; readonly since: Date | undefined }>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The work's result. Undefined where the repository cannot be searched: it is noted, with the time since when. */
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
    this.#errors.set(repository, { error, since });
  }

  get isEmpty(): boolean {
    return this.#errors.size === 0;
  }

  /** Sentences for the caller, none where all were searched. */
  get notes(): string[] {
    return notSearched(this.#repositories());
  }

  /**
   * Throws if nothing was found and either a missing repository will be there soon or nothing else was searched. The
   * answer is never "no matches" because an index is missing. A repository that stays unreadable does not make searches
   * of others fail.
   */
  throwUnlessFound({ results, searched }: { results: number; searched: number }): void {
    const errors = [...this.#errors.values()].map(({ error }) => error);
    const soon = errors.find(({ retryAfterSeconds: seconds }) => seconds !== undefined);
    const error = soon ?? (searched === 0 ? errors[0] : undefined);
    if (results > 0 || !error) return;
    const { code, message, retryAfterSeconds } = error;
    const because = leftOutAndWhy(this.#repositories().filter(({ reason }) => reason === message));
    throw new SextantError(code, `${nothingFound}${because}`, {
      cause: error,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  }

  #repositories(): LeftOutRepository[] {
    return [...this.#errors].map(([repo, { error, since }]) => ({ repo, reason: error.message, since }));
  }
}
