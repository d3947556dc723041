import type { CommitRecord } from '../git/commit-record.ts';

/** All that is kept of a commit. */
export interface IndexedCommit {
  readonly record: CommitRecord;
  /** Whether its changes could not be read, or are too many: git answers for it, unless they are beyond its limits, too. */
  readonly isUnread: boolean;
  /** Whether git could not compare it in the time that it has: nobody answers for its changes. */
  readonly isBeyondLimits: boolean;
  /** Changed paths, in git's order. */
  readonly paths: readonly string[];
  readonly texts: readonly ChangedText[];
  /** Its hunks as `patchOf` writes them. */
  readonly patch: Uint8Array;
}

/** The changed lines of one side of one file, in UTF-8, each with its end. */
export interface ChangedText {
  /** Number in `paths`. */
  readonly path: number;
  readonly isAdded: boolean;
  readonly text: Uint8Array;
}
