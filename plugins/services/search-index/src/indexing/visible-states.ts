import type { IndexState, IndexStates, Repositories } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import type { Engine } from '../engine.ts';

/** The state of the index, of the repositories that a caller may read. */
export class VisibleStates implements IndexStates {
  readonly #repositories: Repositories;
  readonly #engine: Pick<Engine, 'indexer'>;

  constructor(repositories: Repositories, engine: Pick<Engine, 'indexer'>) {
    this.#repositories = repositories;
    this.#engine = engine;
  }

  async list(caller: Caller): Promise<IndexState[]> {
    const infos = await this.#repositories.list(caller);
    return infos.map(({ name }) => this.#stateOf(name, caller.user.isSiteAdmin));
  }

  async refresh(caller: Caller, repo: string): Promise<void> {
    await this.#repositories.open(caller, repo);
    this.#engine.indexer.follow(repo);
  }

  #stateOf(repo: string, wantsReason: boolean): IndexState {
    const { isReady = false, failure, counts } = this.#engine.indexer.indexOf(repo) ?? {};
    const state = failure !== undefined ? 'failed' : isReady ? 'indexed' : 'indexing';
    const reason = wantsReason && failure !== undefined && { reason: failure.reason };
    return { repo, state, files: counts?.files ?? 0, ...reason };
  }
}
