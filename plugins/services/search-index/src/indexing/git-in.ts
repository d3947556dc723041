import { SextantError } from '@sextant/core';
import type { StoredRepository, StoreRun } from '@sextant/contracts';

/** The output of a git command. */
export type RunGit = (args: readonly string[], input?: Iterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** What `StoredRepository.tree` gives of a commit. */
export type ListTree = (commit: string, options: { readonly wantsSizes: boolean }) => AsyncIterable<Uint8Array>;

/** Longest time of one git command while indexing, in seconds. */
const seconds = 3600;

export interface GitOptions {
  /** The repository as it is now: asked for each time, because it may be replaced. */
  readonly repository: () => StoredRepository | undefined;
  readonly signal: AbortSignal;
  /** As it is when a command begins. */
  readonly state: { readonly isReady: boolean; readonly failure: unknown };
}

/** Reads a repository by git while it is indexed. */
export function gitIn({ repository, signal, state }: GitOptions): { git: RunGit; list: ListTree } {
  const served = (): StoredRepository => {
    const stored = repository();
    if (!stored) throw new SextantError('unavailable', 'the repository is no longer served');
    return stored;
  };
  const run = (): StoreRun => {
    const isRetry = state.failure !== undefined;
    // What was never indexed cannot be searched: histories and symbols wait for that, but not for what cannot be indexed.
    return { signal, comesFirst: !state.isReady && !isRetry, isRetry };
  };
  return {
    // What is read of blobs goes on to a thread piece by piece; how much that may be is decided before.
    git: (args, input) => served().stream({ args, seconds, maxBytes: Infinity, ...run(), ...(input && { input }) }),
    list: (commit, options) => served().tree(commit, { ...options, ...run() }),
  };
}
