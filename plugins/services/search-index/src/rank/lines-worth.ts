import type { Content, Matches } from '@sextant/library-block-index';
import { countedOf, noRows, rowsIn, summarize, tellingLines } from './hit.ts';
import type { Rows } from './hit.ts';
import { bestOf } from './rated-lines.ts';
import type { TextsWorth } from './texts-worth.ts';

interface Reading {
  readonly content: Content;
  readonly lineCharacters: number;
  /** See `LinesWorth`. */
  readonly defined: number;
}

/** What the lines of a document with matches are worth. */
export class LinesWorth {
  readonly lineCount: number;
  /** Those of them that count. */
  readonly counted: number;
  readonly rows: Rows;
  /** How many of the texts a name has at most that one of them defines, as a whole word. */
  readonly defined: number;
  /** No line is worth more: it is known before they are read. */
  readonly most: number;
  readonly #all: Matches;
  readonly #matches: Matches;
  readonly #texts: TextsWorth;
  readonly #reading: Reading;
  readonly #isKnownUnread: boolean;
  #best: number | undefined;

  constructor(all: Matches, texts: TextsWorth, reading: Reading) {
    const matches = texts.hasLetter ? countedOf(all) : all;
    const { lineCount, hasWord } = summarize(matches);
    const isSingle = texts.terms.length === 1;
    this.lineCount = matches === all ? lineCount : summarize(all).lineCount;
    this.counted = lineCount;
    this.#texts = texts;
    this.rows = isSingle ? noRows : rowsIn(matches, texts);
    this.defined = reading.defined;
    const inRow = Math.min(texts.words.most, Math.max(1, ...this.rows.values()));
    const isWord = hasWord || this.rows.size > 0;
    // A line that defines a longer name is worth less than one that uses the word.
    const beside = this.rows.size > 0 ? Infinity : 1;
    const mostOfLine = texts.mostOfLine({ isWord, inRow, beside }, isWord ? Math.min(inRow, reading.defined) : inRow);
    this.most = matches.length === 0 ? 0 : mostOfLine;
    const isUse = isWord && reading.defined === 0;
    this.#isKnownUnread = isSingle && (isUse || texts.mostDefined === 0);
    this.#all = all;
    this.#matches = matches;
    this.#reading = reading;
  }

  /** See `tellingLines`. */
  get telling(): Rows {
    return this.#texts.hasLetter ? tellingLines(this.#all, this.#texts) : this.rows;
  }

  /** Of the best line; they are read when it is first asked for, where that tells more. */
  get best(): number {
    return (this.#best ??= this.#isKnownUnread ? this.most : this.#read());
  }

  #read(): number {
    const { content, ...reading } = this.#reading;
    const { most, rows } = this;
    return bestOf(this.#matches, content, { ...reading, texts: this.#texts, rows, most });
  }
}
