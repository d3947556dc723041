import { highestScore } from '../rank/score.ts';
import { smallAnswerFiles } from '../rank/top-files.ts';

/** The memory of an `AnswerBudget`. */
export type SharedBudget = Int32Array<SharedArrayBuffer>;

/** Scores are told apart by so many levels for each point. */
const levelsOfOne = 200;
const levelOf = (score: number): number => Math.floor(score * levelsOfOne);
/** One more, since scores are rounded to f32. */
const levels = levelOf(highestScore) + 2;

/** Makes the memory for a search that wants `files` files. Small answers mostly have room for all of them, and need none. */
export const newBudget = (files: number): SharedBudget =>
  new Int32Array(new SharedArrayBuffer(files > smallAnswerFiles ? 4 * levels : 0));

/**
 * The characters that the best files take of an answer, wherever the threads of a search find them. What is taken is never given back, so a
 * rejected file stays rejected.
 */
export class AnswerBudget {
  /** Characters, by the level of the score. */
  readonly #taken: SharedBudget;
  readonly #characters: number;

  constructor(taken: SharedBudget, characters: number) {
    this.#taken = taken;
    this.#characters = characters;
  }

  /** Whether the search wants so many files that their text may exceed the budget. */
  get isNarrow(): boolean {
    return this.#taken.length > 0;
  }

  /** Takes the characters of a file, once. */
  take(score: number, characters: number): void {
    if (this.isNarrow) Atomics.add(this.#taken, levelOf(score), characters);
  }

  /** Whether files with higher scores fill the answer. */
  isSpentFor(score: number): boolean {
    let left = this.#characters;
    // What another thread takes meanwhile may be seen later.
    for (let level = this.#taken.length - 1, own = levelOf(score); level > own; level -= 1)
      left -= this.#taken[level] ?? 0;
    return left <= 0;
  }
}
