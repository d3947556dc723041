import { emptyMatch } from '@sextant/library-block-index';
import { isWithinWord, wholeNameWeight } from '@sextant/library-search-results';
import type { Matches } from '@sextant/library-block-index';
import { Bits } from './bits.ts';

/** The files whose path has a text, and what that counts: see `nameWeight`. */
export interface PathMatches {
  readonly files: Bits;
  /** The weight of a file. */
  readonly weightOf: (file: number) => number;
}

const slash = 0x2f;
const dot = 0x2e;
const hundredths = { path: 20, withinWord: 30, name: 50, whole: 100 };
const reused = emptyMatch();

/** Collects them where paths of `text`, one for each file; the matches are those of a text of ASCII alone. */
export class NameWeights implements PathMatches {
  readonly files: Bits;
  readonly #text: Uint8Array;
  readonly #hasDot: boolean;
  /** Hundredths by file; made for the first match, because most texts are in no path. */
  #weights: Uint16Array | undefined;

  constructor(files: number, text: Uint8Array, word: string) {
    this.files = new Bits(files);
    this.#text = text;
    this.#hasDot = word.includes('.');
  }

  add(matches: Matches): void {
    const weights = (this.#weights ??= new Uint16Array(this.files.size));
    for (let i = 0; i < matches.length; i += 1) {
      const { line, lineStart, lineEnd, start, end } = matches.at(i, reused);
      this.files.add(line);
      const weight = this.#weightOf({ lineStart, lineEnd, start, end });
      if (weight > (weights[line] ?? 0)) weights[line] = weight;
    }
  }

  readonly weightOf = (file: number): number => (this.#weights?.[file] ?? 0) / 100;

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
    const isTail = end === lineEnd && (start === lineStart || this.#text[start - 1] === slash);
    if (isTail && this.#hasDot) return wholeNameWeight(this.#foldersIn(lineStart, start));
    if (start === lineStart && end === lineEnd) return hundredths.whole;
    if (start < name) return hundredths.path;
    const isStem = end === lineEnd || (this.#text[end] === dot && !this.#hasDot);
    if (start === name) return isStem ? hundredths.whole : hundredths.name;
    return isWithinWord(this.#text[start - 1] ?? 0, this.#text[start] ?? 0) ? hundredths.withinWord : hundredths.name;
  }

  #foldersIn(from: number, to: number): number {
    let folders = 0;
    for (let i = from; i < to; i += 1) if (this.#text[i] === slash) folders += 1;
    return folders;
  }
}
