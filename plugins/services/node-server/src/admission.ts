import type { Catalogue, Cluster } from '@sextant/contracts/nodes';
import { SextantError } from '@sextant/core';
import type { ServedCall } from '@sextant/library-node-protocol';

export interface Admitting {
  readonly cluster: Cluster;
  readonly catalogue: Catalogue;
}

/**
 * Refuses calls about repositories that this node neither owns nor has yet, and names its epoch: a host of another placement
 * asks elsewhere.
 */
export const admission =
  ({ cluster, catalogue }: Admitting) =>
  (args: unknown, call: ServedCall): void => {
    const owns = (repository: string): boolean =>
      cluster.ownersOf(repository).some(({ name }) => name === cluster.self?.name);
    const foreign = repositoriesIn(args).find((repository) => !owns(repository) && !catalogue.has(repository));
    if (foreign === undefined) return;
    throw new SextantError(
      'conflict',
      `this node does not own a repository of the call by its placement ${cluster.epoch}; the host has ${call.epoch || 'none'}`,
    );
  };

function repositoriesIn(args: unknown): readonly string[] {
  if (typeof args !== 'object' || args === null) return [];
  if ('repo' in args && typeof args.repo === 'string') return [args.repo];
  if ('repositories' in args && Array.isArray(args.repositories)) return args.repositories;
  return [];
}
