import { timeoutSignal } from '@sextant/core';
import type { Asking, Fetches, IndexState, IndexStates } from '@sextant/contracts';
import type { Caller } from '@sextant/core';
import type { Nodes } from './nodes.ts';
import type { RemoteRepositories } from './remote-repositories.ts';

/** How far the indexes of the nodes are. */
export class NodeIndexStates implements IndexStates {
  readonly #repositories: RemoteRepositories;
  readonly #nodes: Nodes;

  constructor(repositories: RemoteRepositories, nodes: Nodes) {
    this.#repositories = repositories;
    this.#nodes = nodes;
  }

  async list(caller: Caller): Promise<IndexState[]> {
    const names = (await this.#repositories.list(caller)).map(({ name }) => name);
    const { answers } = await this.#nodes.askEach('indexes.list', {
      repositories: names,
      argumentsOf: ({ repositories }) => ({ repositories }),
      caller,
      signal: timeoutSignal(longestMs),
    });
    return answers.flat().toSorted((a, b) => (a.repo < b.repo ? -1 : 1));
  }

  async refresh(caller: Caller, repo: string): Promise<void> {
    const { info } = await this.#repositories.find(caller, repo);
    await this.#nodes.tell('indexes.refresh', { repo: info.name }, { caller, signal: timeoutSignal(longestMs) });
  }
}

/** Has all nodes fetch that have a copy. */
export class NodeFetches implements Fetches {
  readonly #repositories: RemoteRepositories;
  readonly #nodes: Nodes;

  constructor(repositories: RemoteRepositories, nodes: Nodes) {
    this.#repositories = repositories;
    this.#nodes = nodes;
  }

  async queue(caller: Caller, name: string | undefined, { isNamed }: Asking = { isNamed: false }): Promise<string[]> {
    const asker = { caller, signal: timeoutSignal(longestMs) };
    const all =
      name === undefined ? await this.#repositories.list(caller) : [(await this.#repositories.find(caller, name)).info];
    const queued = await Promise.all(
      all.map((info) => this.#nodes.tell('fetches.queue', { repo: info.name, isNamed }, asker)),
    );
    return queued.flat();
  }
}

const longestMs = 10_000;
