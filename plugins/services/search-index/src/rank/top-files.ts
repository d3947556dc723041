import type { DocumentQuery } from '@sextant/library-block-index';
import type { Job, JobLimits } from '../match/job.ts';
import type { AttachedSnapshot, Source } from '../snapshot/attached-snapshot.ts';
import type { SearchTerms } from '@sextant/library-keyword-search';

/**
 * A search for at most this many files reads only files that can still be among the best. A search for more reads all files that match, so
 * its counts are exact.
 */
const fewFiles = 500;

/** Such a search reads on until it knows of this many files, so the number of files is exact below, and the same each time. */
const filesCounted = 200;

/** The most files that a search for so many counts: what it reads beyond depends on how threads share the work. */
export const mostCounted = (files: number): number =>
  files <= fewFiles ? Math.max(filesCounted, files + 1) : Infinity;

/** A file that matches, and its score. Its matches are found again if it is shown: few files are. */
export interface RankedFile {
  readonly snapshot: AttachedSnapshot;
  readonly target: number;
  readonly file: number;
  /** Where its text is; absent for a file without text. */
  readonly source: Source | undefined;
  /** The query that its text matches. Absent if only its path matches. */
  readonly query: DocumentQuery | undefined;
  readonly terms: SearchTerms;
  readonly score: number;
  /** The parts of the score by name, for a job that explains. */
  readonly parts?: Readonly<Record<string, number>>;
}

type FilePlace = Pick<RankedFile, 'score' | 'target' | 'file'>;

const isBefore = (a: FilePlace, b: FilePlace): boolean =>
  a.score > b.score || (a.score === b.score && (a.target - b.target || a.file - b.file) < 0);

/** The k best files of a search on one thread, and the number of files and lines that match. */
export class TopFiles {
  fileCount = 0;
  matchCount = 0;
  /** Whether the search wants few files, so that it need not read all that match. */
  readonly areFew: boolean;
  readonly #most: number;
  readonly #counted: number;
  readonly #threshold: SharedThreshold;
  /** The best first. */
  readonly #best: RankedFile[] = [];
  /** The best score of each target, where only the best file of each is wanted. */
  readonly #bestOfTargets: Map<number, number> | undefined;

  constructor({ files, onePerTarget }: Pick<JobLimits, 'files' | 'onePerTarget'>, threshold: SharedThreshold) {
    this.areFew = files <= fewFiles;
    this.#most = files;
    this.#counted = mostCounted(files);
    this.#threshold = threshold;
    this.#bestOfTargets = onePerTarget ? new Map() : undefined;
  }

  /** Whether `file` of a target, or a later file of it, can be among the best with this score. */
  canStillWin(score: number, target: number, file = 0): boolean {
    if (this.#bestOfTargets) return score > (this.#bestOfTargets.get(target) ?? -1);
    if (!this.areFew) return true;
    const worst = this.#worst;
    return this.#threshold.isReached(score) && (!worst || isBefore({ score, target, file }, worst));
  }

  /** The worst of the best, once enough files are counted. */
  get #worst(): RankedFile | undefined {
    return this.fileCount >= this.#counted ? this.#best[this.#most - 1] : undefined;
  }

  /** Counts a file and its matching lines. A file that only its path matches counts as one match. */
  count(lines: number): void {
    this.fileCount += 1;
    this.matchCount += Math.max(1, lines);
    if (this.fileCount === this.#counted) this.#raiseThreshold();
  }

  /** Keeps a file if it is among the best. */
  add(file: RankedFile): void {
    const last = this.#best[this.#most - 1];
    if (last && !isBefore(file, last)) return;
    if (this.#bestOfTargets) this.#replace(file, this.#bestOfTargets);
    this.#best.splice(this.#placeOf(file), 0, file);
    if (this.#best.length > this.#most) this.#best.pop();
    this.#raiseThreshold();
  }

  #raiseThreshold(): void {
    if (this.#worst) this.#threshold.raise(this.#worst.score);
  }

  /** Removes the file of the same target that was the best so far. */
  #replace({ score, target }: FilePlace, bestOfTargets: Map<number, number>): void {
    if (bestOfTargets.has(target)) {
      const before = this.#best.findIndex((other) => other.target === target);
      this.#best.splice(before, 1);
    }
    bestOfTargets.set(target, score);
  }

  #placeOf(file: FilePlace): number {
    let low = 0;
    for (let high = this.#best.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (isBefore(file, this.#best[middle] ?? file)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The best first; those that other threads found may be better than some of them. */
  get best(): readonly RankedFile[] {
    return this.areFew ? this.#best.filter(({ score }) => this.#threshold.isReached(score)) : this.#best;
  }
}

/** The memory of a `SharedThreshold`. */
export const noScore = (): Job['threshold'] => new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

const bits = new Int32Array(1);
const float = new Float32Array(bits.buffer);

/** The bits of a score (f32, not negative), which ascend with it. */
function bitsOf(score: number): number {
  float[0] = score;
  return bits[0] ?? 0;
}

/**
 * The score that a file needs to be among the best of all threads of a search. Each thread has a k-th best score; this is
 * the highest of them. It only rises, so a file that is left out stays out.
 */
export class SharedThreshold {
  readonly #shared: Job['threshold'];

  constructor(shared: Job['threshold']) {
    this.#shared = shared;
  }

  isReached(score: number): boolean {
    return bitsOf(score) >= Atomics.load(this.#shared, 0);
  }

  raise(score: number): void {
    const wanted = bitsOf(score);
    for (let known = Atomics.load(this.#shared, 0); known < wanted; )
      known = Atomics.compareExchange(this.#shared, 0, known, wanted);
  }
}
