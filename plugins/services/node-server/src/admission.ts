import type { Catalogue, Cluster } from '@sextant/contracts/nodes';
import { SextantError } from '@sextant/core';
import type { ServedCall } from '@sextant/library-node-protocol';

export interface Admitting {
  readonly cluster: Cluster;
  readonly catalogue: Catalogue;
}

/** Refuses calls about nothing that this node has, and names its epoch: the host asks another, whatever its placement is. */
export const admission =
  ({ cluster, catalogue }: Admitting) =>
  (args: unknown, call: ServedCall): void => {
    const repositories = repositoriesIn(args);
    if (repositories.length === 0 || repositories.some((repository) => catalogue.has(repository))) return;
    throw new SextantError(
      'conflict',
      `this node has no repository of the call by its placement ${cluster.epoch}; the host has ${call.epoch || 'none'}`,
    );
  };

function repositoriesIn(args: unknown): readonly string[] {
  if (typeof args !== 'object' || args === null) return [];
  if ('repo' in args && typeof args.repo === 'string') return [args.repo];
  if ('repositories' in args && Array.isArray(args.repositories)) return args.repositories;
  return [];
}
