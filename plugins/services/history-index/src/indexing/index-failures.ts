import { isSextantError, messageOf, operatorReason, Retries } from '@sextant/core';
import type { Logger, ServiceFailure } from '@sextant/core';
import { reasonOf } from '../show/search-failures.ts';

/** Repositories that could not be indexed; each is tried again after a pause that grows, and logged when it begins to fail. */
export class IndexFailures {
  readonly #log: Logger;
  readonly #retries: Retries;
  readonly #failed = new Map<string, { readonly reason: string; readonly since: string }>();

  constructor(log: Logger, again: (name: string) => void) {
    this.#log = log;
    this.#retries = new Retries(again);
  }

  get list(): readonly ServiceFailure[] {
    return [...this.#failed].map(([name, failure]) => ({ name, ...failure, ...this.#retries.nextTry(name) }));
  }

  add(name: string, error: unknown): void {
    const since = this.#failed.get(name)?.since ?? new Date().toISOString();
    this.#failed.set(name, { reason: isSextantError(error) ? operatorReason(error) : reasonOf(error), since });
    if (this.#retries.failed(name))
      this.#log.warn({ repository: name, reason: messageOf(error) }, 'history was not indexed');
  }

  remove(name: string): void {
    this.#retries.succeeded(name);
    this.#failed.delete(name);
  }

  close(): void {
    this.#retries.close();
  }
}
