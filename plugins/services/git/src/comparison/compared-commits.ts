import type { GitFolder } from '../storage/git-folder.ts';

/** Two commits by their full hashes. */
export interface ComparedCommits {
  readonly folder: GitFolder;
  readonly base: string;
  readonly head: string;
  readonly signal: AbortSignal;
}
