import { noMatch } from '@sextant/library-block-index';
import { isWithinWord } from '@sextant/library-search-results';
import type { Matches } from '@sextant/library-block-index';
import { Bits } from './bits.ts';

/** The files whose path has a text, and what that counts: see `nameWeight`. */
export interface PathMatches {
  readonly files: Bits;
  /** The weight of a file, from 0 to 1. */
  readonly weightOf: (file: number) => number;
}

const slash = 0x2f;
const dot = 0x2e;
const tenths = { path: 2, withinWord: 3, name: 5, whole: 10 };
const reused = noMatch();

/** Collects them where paths of `text`, one for each file; the matches are those of a text of ASCII alone. */
export class NameWeights implements PathMatches {
  readonly files: Bits;
  readonly #text: Uint8Array;
  readonly #hasDot: boolean;
  /** Tenths by file; made for the first match, because most texts are in no path. */
  #weights: Uint8Array | undefined;

  constructor(files: number, text: Uint8Array, word: string) {
    this.files = new Bits(files);
    this.#text = text;
    this.#hasDot = word.includes('.');
  }

  add(matches: Matches): void {
    const weights = (this.#weights ??= new Uint8Array(this.files.size));
    for (let i = 0; i < matches.length; i += 1) {
      const { line, lineStart, lineEnd, start, end } = matches.at(i, reused);
      this.files.add(line);
      const weight = this.#weightOf({ lineStart, lineEnd, start, end });
      if (weight > (weights[line] ?? 0)) weights[line] = weight;
    }
  }

  readonly weightOf = (file: number): number => (this.#weights?.[file] ?? 0) / 10;

  #weightOf({
    lineStart,
    lineEnd,
    start,
    end,
  }: {
    lineStart: number;
    lineEnd: number;
    start: number;
    end: number;
  }): number {
    const before = this.#text.lastIndexOf(slash, lineEnd - 1);
    const name = before < lineStart ? lineStart : before + 1;
    if (start === lineStart && end === lineEnd) return tenths.whole;
    if (start < name) return tenths.path;
    const isStem = end === lineEnd || (this.#text[end] === dot && !this.#hasDot);
    if (start === name) return isStem ? tenths.whole : tenths.name;
    return isWithinWord(this.#text[start - 1] ?? 0, this.#text[start] ?? 0) ? tenths.withinWord : tenths.name;
  }
}
