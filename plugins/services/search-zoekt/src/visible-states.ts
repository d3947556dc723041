import { requireReadable } from '@sextant/contracts';
import type { IndexState, IndexStates, Repositories } from '@sextant/contracts';
import { messageOf } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { ZoektIndex } from './zoekt-index.ts';

/** What zoekt has of the repositories that a caller may read. */
export class VisibleStates implements IndexStates {
  readonly #repositories: Repositories;
  readonly #index: ZoektIndex;

  constructor(repositories: Repositories, index: ZoektIndex) {
    this.#repositories = repositories;
    this.#index = index;
  }

  async list(caller: Caller): Promise<IndexState[]> {
    const infos = await this.#repositories.list(caller);
    return infos.map(({ name: repo }) => {
      const failure = this.#index.failureOf(repo);
      const indexed = this.#index.commitOf(repo);
      const state = failure ? 'failed' : indexed ? 'indexed' : 'indexing';
      const reason = failure && caller.user.isSiteAdmin ? messageOf(failure.error) : undefined;
      const nextTry = failure?.nextTry;
      return {
        repo,
        state,
        files: indexed?.files ?? 0,
        ...(reason !== undefined && { reason, ...(nextTry !== undefined && { nextTry }) }),
      };
    });
  }

  async refresh(caller: Caller, repo: string): Promise<void> {
    await requireReadable(this.#repositories, caller, repo);
    this.#index.refresh(repo);
  }
}
