import { utf8Of } from '@sextant/contracts';
import type { CommitFiles, CommitRecord, DiffSide } from '@sextant/contracts';
import { answerLimits } from '../limits.ts';
import type { CommitPredicate } from './commit-predicate.ts';

/** The first byte of changed lines. */
const sideMarkers: Readonly<Record<DiffSide, number>> = { added: 43, removed: 45 };

/** Which changes are looked for. */
export interface ChangesWanted {
  readonly predicate: CommitPredicate;
  readonly sides: readonly DiffSide[];
  /** Most results. */
  readonly most: number;
  /** Whether long hunks are given whole. */
  readonly isWhole: boolean;
}

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

/** The first results of a search among changes, as a parser or a shard shows them. */
export class FirstResults<T> {
  readonly found: T[] = [];
  protected readonly wanted: ChangesWanted;
  readonly #markers: readonly number[];

  constructor(wanted: ChangesWanted) {
    this.wanted = wanted;
    this.#markers = wanted.sides.map((side) => sideMarkers[side]);
  }

  get isDone(): boolean {
    return this.found.length >= this.wanted.most;
  }

  /** What a line on a wanted side says. */
  protected contentOf(line: Buffer): Buffer | undefined {
    return this.#markers.includes(line[0] ?? 0) ? utf8Of(line.subarray(1)) : undefined;
  }
}
