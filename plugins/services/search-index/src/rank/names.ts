import { Bits } from '../match/bits.ts';
import type { PathMatches } from '../match/path-matches.ts';

/** Files whose paths say about the same of a query. */
export interface NameLevel {
  readonly files: Bits;
  /** None of them says more; see `nameWeight`. */
  readonly named: number;
}

/** So many levels, and one of files whose path says nothing. */
const levels = 4;

/** How far the paths of a view say what is searched. */
export class Names {
  readonly #texts: number;
  /** Of each text that is in a path. */
  readonly #found: readonly PathMatches[];

  constructor(ofTexts: readonly PathMatches[]) {
    this.#texts = ofTexts.length;
    this.#found = ofTexts.filter(({ files }) => !files.isEmpty);
  }

  /** See `nameWeight`. */
  of(file: number): number {
    let sum = 0;
    for (const { weightOf } of this.#found) sum += weightOf(file);
    return sum === 0 ? 0 : sum / this.#texts;
  }

  /** Parts the files by what their paths say. */
  levelsOf(files: Bits): NameLevel[] {
    const named = this.#found.map((each) => each.files.and(files)).filter((each) => !each.isEmpty);
    if (named.length === 0) return [{ files, named: 0 }];
    const all = named.reduce((a, b) => a.or(b));
    const found = new Map<number, { files: Bits; named: number }>();
    for (const file of all.numbers()) {
      const weight = this.of(file);
      const level = Math.ceil(weight * levels);
      const known = found.get(level) ?? { files: new Bits(files.size), named: 0 };
      found.set(level, known);
      known.files.add(file);
      known.named = Math.max(known.named, weight);
    }
    const others = files.without(all);
    return [...found.values(), ...(others.isEmpty ? [] : [{ files: others, named: 0 }])];
  }
}
