import { BitSet } from '../match/bit-set.ts';

/** Scores are told apart by these steps; 0 is none. */
export const scoreSteps = 4096;

/** Which files of several lists score most, by counting how many score about as much. */
export class LikelyFiles {
  /** How many have each step; all threads of a question add to it. */
  readonly #counts: Int32Array;
  readonly #scale: number;

  /** No score is above `most`. */
  constructor(counts: Int32Array, most: number) {
    this.#counts = counts;
    this.#scale = most > 0 ? (scoreSteps - 2) / most : 0;
  }

  /** Counts the scores of a list, and writes their steps. */
  add(scores: Float32Array, steps: Uint16Array): void {
    const counts = new Int32Array(scoreSteps);
    for (let place = 0; place < scores.length; place += 1) {
      const score = scores[place] ?? 0;
      if (score <= 0) continue;
      const step = 1 + Math.floor(score * this.#scale);
      steps[place] = step;
      counts[step] = (counts[step] ?? 0) + 1;
    }
    for (let step = 1; step < scoreSteps; step += 1) {
      const count = counts[step] ?? 0;
      if (count > 0) Atomics.add(this.#counts, step, count);
    }
  }

  /** The places of about the highest scores of all lists: so many where so many are above 0; of those with the same step the first. */
  choose(lists: readonly Uint16Array[], most: number): BitSet[] {
    let from = scoreSteps;
    let above = 0;
    for (let count = 0; from > 1 && count < most; count += this.#counts[from] ?? 0) {
      above = count;
      from -= 1;
    }
    let left = most - above;
    return lists.map((list) => {
      const chosen = new BitSet(list.length);
      for (let place = 0; place < list.length; place += 1) {
        const step = list[place] ?? 0;
        if (step < from || (step === from && left === 0)) continue;
        chosen.add(place);
        if (step === from) left -= 1;
      }
      return chosen;
    });
  }
}
