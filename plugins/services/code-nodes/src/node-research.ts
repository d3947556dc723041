import type { Repositories } from '@sextant/contracts';
import type { FoundPlaces, RepositoryResearch, RepositoryTask } from '@sextant/contracts/nodes';
import { SextantError } from '@sextant/core';
import type { Caller } from '@sextant/core';
import type { Nodes } from './nodes.ts';

/** Asks a node that has the repository. Should it be lost meanwhile, the next copy begins anew, in the time that is left. */
export class NodeResearch implements RepositoryResearch {
  readonly #repositories: Repositories;
  readonly #nodes: Nodes;

  constructor(repositories: Repositories, nodes: Nodes) {
    this.#repositories = repositories;
    this.#nodes = nodes;
  }

  async find(
    caller: Caller,
    task: RepositoryTask,
    { signal, onStep }: { signal: AbortSignal; onStep(message: string): void },
  ): Promise<FoundPlaces> {
    const { info } = await this.#repositories.open(caller, task.repo);
    const end = performance.now() + task.maxSeconds * 1000;
    const ask = (maxSeconds: number) => ({ repo: info.name, request: { ...task, repo: info.name, maxSeconds } });
    const anew = () => ask(Math.max(0, (end - performance.now()) / 1000));
    const told = this.#nodes.stream('research.find', ask(task.maxSeconds), { caller, signal, anew });
    let found: FoundPlaces | undefined;
    for await (const each of told)
      if ('step' in each) onStep(each.step);
      else ({ found } = each);
    if (found) return found;
    throw new SextantError('internal', `a code node answered nothing about ${info.name}`);
  }
}
