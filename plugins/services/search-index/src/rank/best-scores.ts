/** What all threads of a search share: see `BestScores`. */
export type SharedScores = Int32Array<SharedArrayBuffer>;

/** i32: a version, odd while someone writes; files that match; scores that are known; then these, the best first, each with its target. */
const [versionAt, filesAt, knownAt, scoresAt] = [0, 1, 2, 3];

/** Who wants more files than this leaves none out. */
const mostShared = 500;

/** For a search for so many files. */
export const noScores = (files: number): SharedScores =>
  new Int32Array(new SharedArrayBuffer(4 * (scoresAt + (files > mostShared ? 0 : 2 * files))));

/** The bits of a score, which ascend with it, and the number of its target. */
type Score = readonly [bits: number, target: number];

const isBefore = (a: Score, b: Score): boolean => a[0] > b[0] || (a[0] === b[0] && a[1] < b[1]);

const bits = new Int32Array(1);
const float = new Float32Array(bits.buffer);

function bitsOf(score: number): number {
  float[0] = score;
  return bits[0] ?? 0;
}

/**
 * The best scores of a search, wherever its threads find them. What a file needs to be among them only rises, so what a thread has read
 * before is never wrong. Scores are numbers that an f32 holds, and not negative; of equal ones those of the first targets are better.
 */
export class BestScores {
  readonly #shared: SharedScores;
  readonly #most: number;
  #version = 0;
  #worst: Score | undefined;

  constructor(shared: SharedScores) {
    this.#shared = shared;
    this.#most = (shared.length - scoresAt) / 2;
  }

  /** Whether any file is left out. */
  get areUsed(): boolean {
    return this.#most > 0;
  }

  /** Whether a file of a target that scores so much may be among the best. */
  isReached(score: number, target: number): boolean {
    if (this.#most === 0) return true;
    this.#read();
    return !this.#worst || !isBefore(this.#worst, [bitsOf(score), target]);
  }

  /** Until more files match than are wanted none is left out: answers say whether there are more. */
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
    if (known === this.#most && !isBefore(score, this.#at(known - 1))) return;
    let at = Math.min(known, this.#most - 1);
    for (; at > 0 && isBefore(score, this.#at(at - 1)); at -= 1) this.#put(at, this.#at(at - 1));
    this.#put(at, score);
    this.#shared[knownAt] = Math.min(known + 1, this.#most);
  }

  /** While another thread writes, what was read before still holds. */
  #read(): void {
    const version = Atomics.load(this.#shared, versionAt);
    if ((this.#worst && version === this.#version) || version % 2 === 1) return;
    // By their places: to take a shared array apart takes ten times as long.
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
