import { SextantError } from '@sextant/core';
import type { StoredRepository } from '@sextant/contracts';
import type { RunGit } from './partial-tree.ts';

/** Longest time of one git command while indexing, in seconds. */
const seconds = 3600;

export interface GitOptions {
  /** The repository as it is now: asked for each time, because it may be replaced. */
  readonly repository: () => StoredRepository | undefined;
  readonly signal: AbortSignal;
  /** Whether commands in the background wait. */
  readonly comesFirst: () => boolean;
}

/** Runs git commands in a repository. */
export const gitIn =
  ({ repository, signal, comesFirst }: GitOptions): RunGit =>
  (args, input) => {
    const served = repository();
    if (!served) throw new SextantError('unavailable', 'the repository is no longer served');
    return served.stream({ args, signal, seconds, comesFirst: comesFirst(), ...(input && { input }) });
  };
