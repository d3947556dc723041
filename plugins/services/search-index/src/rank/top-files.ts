import type { Interest, Matches, Query } from '@sextant/library-block-index';
import type { FoundLines, JobLimits } from '../pool/protocol.ts';
import type { AttachedSnapshot, Source } from '../snapshot/attached-snapshot.ts';
import type { TermScore } from './term-score.ts';

/**
 * A limit of memory: answers with at most this many files are small. Files that cannot be among them are left out, and the
 * matches of the others are kept. Small answers mostly fit in the budget of characters.
 */
export const smallAnswerFiles = 500;

/** A file that matches, and its score. */
export interface RankedFile {
  readonly snapshot: AttachedSnapshot;
  readonly target: number;
  readonly file: number;
  /** Where its text is; absent for a file without text. */
  readonly source: Source | undefined;
  readonly lineCount: number;
  /** Whether more lines match. They are counted only if the file is shown. */
  readonly isCut: boolean;
  /** Whether an earlier pass has counted its lines. */
  readonly isCounted: boolean;
  /** The query that its text matches. Absent if only its path matches. */
  readonly query: Query | undefined;
  /** Absent if only its path matches, or if they are not kept. */
  matches: Matches | undefined;
  readonly terms: TermScore;
  /** Upper bound of the terms in one name that one of its lines defines. */
  readonly defined: number;
  readonly score: number;
  /** The parts of the score by name, for a job that explains. */
  readonly parts?: Readonly<Record<string, number>>;
  /** The lines that are shown of it, once they are known. */
  shown: FoundLines | undefined;
}

type FilePlace = Pick<RankedFile, 'score' | 'target' | 'file'>;

const isBefore = (a: FilePlace, b: FilePlace): boolean =>
  a.score > b.score || (a.score === b.score && (a.target - b.target || a.file - b.file) < 0);

/**
 * Once this many lines are kept in all, only the first lines of each further file are kept: a common word must not fill
 * the memory.
 */
const linesOfAllFiles = 100_000;
const firstLines = 50;

/** The k best files of a search on one thread, and the number of files and lines that match. */
export class TopFiles {
  fileCount = 0;
  matchCount = 0;
  readonly #most: number;
  readonly #threshold: SharedThreshold;
  /** The best first. */
  readonly #best: RankedFile[] = [];
  /** The first file for which the answer has no room. */
  #firstLeft: FilePlace | undefined;
  #linesKept = 0;
  /** The best score of each target, where only the best file of each is wanted. */
  readonly #bestOfTargets: Map<number, number> | undefined;

  constructor({ files, onePerTarget }: Pick<JobLimits, 'files' | 'onePerTarget'>, threshold: SharedThreshold) {
    this.#most = files;
    this.#threshold = threshold;
    this.#bestOfTargets = onePerTarget ? new Map() : undefined;
  }

  /** The worst of the best, once it is known that more files match: answers say whether there are more. */
  get #worst(): RankedFile | undefined {
    return this.fileCount > this.#most ? this.#best[this.#most - 1] : undefined;
  }

  /** Whether `file` of a target, or a later file of it, can be among the best with this score. */
  canStillWin(score: number, target: number, file = 0): boolean {
    if (this.#bestOfTargets) return score > (this.#bestOfTargets.get(target) ?? -1);
    const worst = this.#worst;
    if (!this.#threshold.isReached(score, target)) return false;
    if (!worst || score !== worst.score) return !worst || score > worst.score;
    return target < worst.target || (target === worst.target && file < worst.file);
  }

  /** What to take of a file with this score. If it matches but the answer has no room for it, it is only counted. */
  interest(score: number, target: number, file = 0): Interest {
    if (!this.canStillWin(score, target, file)) return 'none';
    return this.#firstLeft && !isBefore({ score, target, file }, this.#firstLeft) ? 'count' : 'matches';
  }

  canBeShown(score: number, target: number, file: number): boolean {
    return this.interest(score, target, file) === 'matches';
  }

  /** Whether the search wants so few files that it need not count the lines of all others. */
  get areFew(): boolean {
    return this.#threshold.isUsed;
  }

  /** How many are kept. */
  get kept(): number {
    return this.#best.length;
  }

  /** Forgets all but the best, and takes no file that comes after them. */
  keepFirst(count: number): void {
    if (count < this.#best.length) [this.#firstLeft] = this.#best.splice(count);
  }

  /** Counts a file with so many matching lines; a file that only its path matches counts as one match. */
  count(lines: number): void {
    this.fileCount += 1;
    this.matchCount += Math.max(1, lines);
    this.#threshold.countFile();
  }

  /** Counts further lines of a file that was counted with fewer. */
  countMore(lines: number): void {
    this.matchCount += lines;
  }

  /** How many of the lines of a file may be kept. */
  linesToKeep(lines: number, most: number): number {
    const allowed = this.#linesKept < linesOfAllFiles ? most : Math.min(most, firstLines);
    this.#linesKept += Math.min(lines, allowed);
    return allowed;
  }

  /** Keeps a file if it is among the best. `matches` is called only for the first `smallAnswerFiles`: answers seldom have room for more. */
  add(file: Omit<RankedFile, 'matches' | 'shown'>, matches?: () => Matches): void {
    const worst = this.#best[this.#most - 1];
    if (worst && !isBefore(file, worst)) return;
    if (this.#bestOfTargets) this.#replace(file, this.#bestOfTargets);
    const at = this.#placeOf(file);
    this.#best.splice(at, 0, { ...file, matches: at < smallAnswerFiles ? matches?.() : undefined, shown: undefined });
    const next = this.#best[smallAnswerFiles];
    if (next) next.matches = undefined;
    if (this.#best.length > this.#most) this.#best.pop();
    this.#threshold.add(file.score, file.target);
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
    return this.#best.filter(({ score, target }) => this.#threshold.isReached(score, target));
  }
}

/** The memory of a `SharedThreshold`. */
export type SharedScores = Int32Array<SharedArrayBuffer>;

/** i32: a version, odd while a thread writes; files that match; number of scores; the scores, the best first, each with its target. */
const [versionAt, filesAt, knownAt, scoresAt] = [0, 1, 2, 3];

/** Makes the memory for a search that wants `files` files. A search for more than `smallAnswerFiles` shares no scores and leaves no file out. */
export const noScores = (files: number): SharedScores =>
  new Int32Array(new SharedArrayBuffer(4 * (scoresAt + (files > smallAnswerFiles ? 0 : 2 * files))));

/** The bits of a score, which ascend with it, and the number of its target. */
type Score = readonly [bits: number, target: number];

const isHigher = (a: Score, b: Score): boolean => a[0] > b[0] || (a[0] === b[0] && a[1] < b[1]);

const bits = new Int32Array(1);
const float = new Float32Array(bits.buffer);

function bitsOf(score: number): number {
  float[0] = score;
  return bits[0] ?? 0;
}

/**
 * The score that a file needs to be among the best of all threads of a search. It only rises, so what a thread has read is never wrong. Scores are
 * f32 and not negative. Of equal scores, those of the first targets are better.
 */
export class SharedThreshold {
  readonly #shared: SharedScores;
  readonly #most: number;
  #version = 0;
  #worst: Score | undefined;

  constructor(shared: SharedScores) {
    this.#shared = shared;
    this.#most = (shared.length - scoresAt) / 2;
  }

  /** Whether any file is left out. */
  get isUsed(): boolean {
    return this.#most > 0;
  }

  /** Whether a file of a target with this score may be among the best. */
  isReached(score: number, target: number): boolean {
    if (this.#most === 0) return true;
    this.#read();
    return !this.#worst || !isHigher(this.#worst, [bitsOf(score), target]);
  }

  /** Counts a file that matches. No file is left out before more match than are wanted, because answers say whether there are more. */
  countFile(): void {
    if (this.#most > 0) Atomics.add(this.#shared, filesAt, 1);
  }

  add(score: number, target: number): void {
    if (this.#most === 0) return;
    const version = this.#lock();
    this.#insert([bitsOf(score), target]);
    Atomics.store(this.#shared, versionAt, version + 2);
  }

  #insert(score: Score): void {
    const known = this.#shared[knownAt] ?? 0;
    if (known === this.#most && !isHigher(score, this.#at(known - 1))) return;
    let at = Math.min(known, this.#most - 1);
    for (; at > 0 && isHigher(score, this.#at(at - 1)); at -= 1) this.#put(at, this.#at(at - 1));
    this.#put(at, score);
    this.#shared[knownAt] = Math.min(known + 1, this.#most);
  }

  /** While another thread writes, what was read before still holds. */
  #read(): void {
    const version = Atomics.load(this.#shared, versionAt);
    if ((this.#worst && version === this.#version) || version % 2 === 1) return;
    // By index, because destructuring a shared array is slow.
    const files = this.#shared[filesAt] ?? 0;
    const known = this.#shared[knownAt] ?? 0;
    if (files <= this.#most || known < this.#most) return;
    const worst = this.#at(known - 1);
    if (Atomics.load(this.#shared, versionAt) !== version) return;
    this.#version = version;
    this.#worst = worst;
  }

  #lock(): number {
    for (;;) {
      const version = Atomics.load(this.#shared, versionAt);
      if (version % 2 === 0 && Atomics.compareExchange(this.#shared, versionAt, version, version + 1) === version)
        return version;
    }
  }

  #at(number: number): Score {
    return [this.#shared[scoresAt + 2 * number] ?? 0, this.#shared[scoresAt + 2 * number + 1] ?? 0];
  }

  #put(number: number, [scoreBits, target]: Score): void {
    this.#shared[scoresAt + 2 * number] = scoreBits;
    this.#shared[scoresAt + 2 * number + 1] = target;
  }
}
