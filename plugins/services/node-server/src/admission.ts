import { SextantError } from '@sextant/core';
import type { ServedCall } from '@sextant/library-node-protocol';

interface Owned {
  readonly epoch: string;
  owns(repository: string): boolean;
}

/** Refuses calls about repositories that this node does not own, and names its epoch: a host of another placement asks elsewhere. */
export const admission =
  ({ epoch, owns }: Owned) =>
  (args: unknown, call: ServedCall): void => {
    const foreign = repositoriesIn(args).find((repository) => !owns(repository));
    if (foreign === undefined) return;
    throw new SextantError(
      'conflict',
      `this node does not own a repository of the call by its placement ${epoch}; the host has ${call.epoch || 'none'}`,
    );
  };

function repositoriesIn(args: unknown): readonly string[] {
  if (typeof args !== 'object' || args === null) return [];
  if ('repo' in args && typeof args.repo === 'string') return [args.repo];
  if ('repositories' in args && Array.isArray(args.repositories)) return args.repositories;
  return [];
}
