import type { Matches, Query } from '@sextant/library-block-index';
import type { AttachedSnapshot, Source } from '../snapshot/attached-snapshot.ts';
import type { BestScores } from '../rank/best-scores.ts';
import type { FoundLines, JobLimits } from '../pool/protocol.ts';
import type { TextsWorth } from '../rank/texts-worth.ts';

/** A file that matches, and how good it is. */
export interface RankedFile {
  readonly view: AttachedSnapshot;
  readonly target: number;
  readonly file: number;
  /** Where its text is; absent for a file without text. */
  readonly source: Source | undefined;
  readonly lineCount: number;
  /** Whether there are more, which are only counted where it is shown. */
  readonly isCut: boolean;
  /** Whether its lines were counted apart from these. */
  readonly isCounted: boolean;
  /** What its text matches; absent where only its path does. */
  readonly query: Query | undefined;
  /** Absent where only its path matches, and where they are not kept. */
  matches: Matches | undefined;
  /** What was searched. */
  readonly texts: TextsWorth;
  /** How many of them a name has at most that one of its lines defines, as a whole word. */
  readonly defined: number;
  readonly score: number;
  /** What is shown of it, once that is known. */
  shown: FoundLines | undefined;
}

type FilePlace = Pick<RankedFile, 'score' | 'target' | 'file'>;

const isBefore = (a: FilePlace, b: FilePlace): boolean =>
  a.score > b.score || (a.score === b.score && (a.target - b.target || a.file - b.file) < 0);

/** Lines that a search keeps of all files before it keeps only the first of each. */
const linesOfAll = 100_000;
const firstLines = 50;
/** The best files of which matches are kept: an answer seldom has room for more, and ten thousand take a hundred megabytes. */
const filesWithMatches = 500;

/** The best files of a search, wherever they were found, and how many there were. */
export class FoundFiles {
  fileCount = 0;
  matchCount = 0;
  readonly #most: number;
  /** Of all threads. */
  readonly #scores: BestScores;
  /** The best first. */
  readonly #best: RankedFile[] = [];
  /** The first for which there is no room. */
  #left: FilePlace | undefined;
  #linesKept = 0;
  /** The best score of each target, where of each nothing but its best file is wanted. */
  readonly #bestOfEach: Map<number, number> | undefined;

  constructor({ files, onePerTarget }: Pick<JobLimits, 'files' | 'onePerTarget'>, scores: BestScores) {
    this.#most = files;
    this.#scores = scores;
    this.#bestOfEach = onePerTarget ? new Map() : undefined;
  }

  /** The worst of the best, once it is known that there are more: answers say so. */
  get #worst(): RankedFile | undefined {
    return this.fileCount > this.#most ? this.#best[this.#most - 1] : undefined;
  }

  /** Whether a file of a target, this one or one after it, that scores so much may be among the best. */
  wants(score: number, target: number, file = 0): boolean {
    if (this.#bestOfEach) return score > (this.#bestOfEach.get(target) ?? -1);
    const worst = this.#worst;
    if (!this.#scores.isReached(score, target)) return false;
    if (!worst || score !== worst.score) return !worst || score > worst.score;
    return target < worst.target || (target === worst.target && file < worst.file);
  }

  /** Whether so few files are wanted that of those that are not the lines need not be counted. */
  get areFew(): boolean {
    return this.#scores.areUsed;
  }

  /** Whether it may be shown: one that is not is only counted. */
  hasPlace(score: number, target: number, file: number): boolean {
    if (this.#left && !isBefore({ score, target, file }, this.#left)) return false;
    return this.wants(score, target, file);
  }

  /** How many are kept. */
  get kept(): number {
    return this.#best.length;
  }

  /** Forgets all but the best, and what is found that comes after them. */
  keepFirst(count: number): void {
    if (count < this.#best.length) [this.#left] = this.#best.splice(count);
  }

  /** Counts a file with so many lines that match; one that is found otherwise than by a line counts once. */
  count(lines: number): void {
    this.fileCount += 1;
    this.matchCount += Math.max(1, lines);
    this.#scores.countFile();
  }

  /** Counts the other lines of a file that was counted with fewer. */
  countMore(lines: number): void {
    this.matchCount += lines;
  }

  /** How many of the lines of a file may be kept, so that a word that is everywhere does not fill the memory. */
  linesToKeep(lines: number, most: number): number {
    const allowed = this.#linesKept < linesOfAll ? most : Math.min(most, firstLines);
    this.#linesKept += Math.min(lines, allowed);
    return allowed;
  }

  /** Keeps a file if it is among the best; its matches are only asked for if they are kept. */
  add(file: Omit<RankedFile, 'matches' | 'shown'>, matches?: () => Matches): void {
    const worst = this.#best[this.#most - 1];
    if (worst && !isBefore(file, worst)) return;
    if (this.#bestOfEach) this.#replace(file);
    const at = this.#placeOf(file);
    this.#best.splice(at, 0, { ...file, matches: at < filesWithMatches ? matches?.() : undefined, shown: undefined });
    const next = this.#best[filesWithMatches];
    if (next) next.matches = undefined;
    if (this.#best.length > this.#most) this.#best.pop();
    this.#scores.add(file.score, file.target);
  }

  /** Removes the one of the same target that was the best so far. */
  #replace({ score, target }: FilePlace): void {
    if (this.#bestOfEach?.has(target))
      this.#best.splice(
        this.#best.findIndex((other) => other.target === target),
        1,
      );
    this.#bestOfEach?.set(target, score);
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

  /** The best first; what is found elsewhere may be better than some of them. */
  get best(): readonly RankedFile[] {
    return this.#best.filter(({ score, target }) => this.#scores.isReached(score, target));
  }
}
