import type { CommitFiles, CommitRecord } from '@sextant/contracts';
import { answerLimits } from '../limits.ts';

/** A commit as it is found. */
export interface FoundRecord {
  readonly record: CommitRecord;
  /** Undefined where they are not known. */
  readonly files: CommitFiles | undefined;
}

/** The first of the paths. */
export const commitFiles = (paths: readonly string[]): CommitFiles => ({
  paths: paths.slice(0, answerLimits.paths),
  total: paths.length,
});

/** The first results of a search, as a parser or a shard shows them. */
export class FirstResults<T> {
  readonly found: T[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get isDone(): boolean {
    return this.found.length >= this.#most;
  }
}
