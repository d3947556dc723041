/** What all threads of a search share: see `AnswerRoom`. */
export type SharedRoom = Int32Array<SharedArrayBuffer>;

/** Scores are told apart by so many levels; all are below 6. */
const levels = 1200;
const levelsOfOne = 200;

/** Fewer files than this mostly have room together. */
const fewFiles = 500;

/** For a search for so many files. */
export const emptyRoom = (files: number): SharedRoom =>
  new Int32Array(new SharedArrayBuffer(files > fewFiles ? 4 * levels : 0));

const levelOf = (score: number): number => Math.min(levels - 1, Math.floor(score * levelsOfOne));

/**
 * What the best files take of the characters of an answer, wherever the threads of a search find them. It only grows, so a file for which
 * no room is left has none later.
 */
export class AnswerRoom {
  /** By the level of the score. */
  readonly #taken: SharedRoom;
  readonly #characters: number;

  constructor(taken: SharedRoom, characters: number) {
    this.#taken = taken;
    this.#characters = characters;
  }

  /** Whether so many files are wanted that they may take more than there is. */
  get isNarrow(): boolean {
    return this.#taken.length > 0;
  }

  /** Takes the room of a file, once. */
  take(score: number, characters: number): void {
    if (this.isNarrow) Atomics.add(this.#taken, levelOf(score), characters);
  }

  /** Whether files that are better than any of this score fill the answer. */
  isFullFor(score: number): boolean {
    let left = this.#characters;
    // What another thread adds meanwhile may be seen later.
    for (let level = this.#taken.length - 1, own = levelOf(score); level > own; level -= 1)
      left -= this.#taken[level] ?? 0;
    return left <= 0;
  }
}
