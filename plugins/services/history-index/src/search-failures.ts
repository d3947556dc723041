import { notSearched } from '@sextant/contracts';
import type { LeftOutRepository } from '@sextant/contracts';
import { SextantError, diskFailures, isSextantError, messageOf } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';

/** Repositories whose history could not be searched. One is logged when it begins to fail, not at each search. */
export class SearchFailures {
  readonly #log: Logger;
  readonly #known = new Map<string, { readonly reason: string; readonly since: Date }>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Throws the error again where the caller's arguments are to blame. */
  failed(repo: string, error: unknown): LeftOutRepository {
    if (isSextantError(error) && error.code === 'invalid_argument') throw error;
    const reason = reasonOf(error);
    const known = this.#known.get(repo);
    if (known?.reason !== reason)
      this.#log.warn(
        { repository: repo, reason: detailOf(error) },
        'the history of a repository could not be searched',
      );
    const failure = { reason, since: known?.since ?? new Date() };
    this.#known.set(repo, failure);
    return { repo, ...failure };
  }

  /** It was searched, or may have changed. */
  succeeded(repo: string): void {
    this.#known.delete(repo);
  }

  /** Adds the repositories to a status that does not name them yet. */
  addTo(status: ServiceStatus): ServiceStatus {
    const { failures = [] } = status;
    const others = [...this.#known].filter(([repo]) => !failures.some(({ name }) => name === repo));
    if (others.length === 0) return status;
    const added = others.map(([name, { reason, since }]) => ({ name, reason, since: since.toISOString() }));
    return { ...status, failures: [...failures, ...added] };
  }
}

/** Sentences about repositories that were left out. Throws `unavailable` where nothing was `searched`. */
export function leftOutNotes(leftOut: readonly LeftOutRepository[], searched: number): string[] {
  const notes = notSearched(leftOut);
  if (notes.length > 0 && searched === 0) throw new SextantError('unavailable', notes.join(' '));
  return notes;
}

/** A reason for callers. Of git's messages only the object is told, because the rest may name folders of the server. */
export function reasonOf(error: unknown): string {
  const object = lackedObject(error);
  if (object !== undefined) return object;
  if (isSextantError(error)) return error.message;
  // An error of the file system in a thread keeps its code.
  const disk = error instanceof Error && 'code' in error ? diskFailures[String(error.code)] : undefined;
  return disk ?? 'its history could not be read; the server’s log has the details';
}

/** The object at which git failed, where it names one. */
export function lackedObject(error: unknown): string | undefined {
  const [object] = /\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b/.exec(causeOf(error)) ?? [];
  return object && `git could not read object ${object}`;
}

const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause !== undefined ? messageOf(error.cause) : '';

const detailOf = (error: unknown): string => causeOf(error) || messageOf(error);
