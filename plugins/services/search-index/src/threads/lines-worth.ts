import type { Content, Matches } from '@sextant/library-block-index';
import { noRows, rowsIn, summarize } from './hit.ts';
import type { Rows } from './hit.ts';
import { bestOf } from './rated-lines.ts';
import type { TextsWorth } from './texts-worth.ts';

interface Reading {
  readonly content: Content;
  readonly lineCharacters: number;
  /** See `LinesWorth`. */
  readonly mayDefine: boolean;
}

/** What the lines of a document with matches are worth. */
export class LinesWorth {
  readonly lineCount: number;
  readonly rows: Rows;
  /** Whether one of them may define what is searched, as a whole word. */
  readonly mayDefine: boolean;
  /** No line is worth more: it is known before they are read. */
  readonly most: number;
  readonly #matches: Matches;
  readonly #texts: number;
  readonly #reading: Reading;
  readonly #isKnownUnread: boolean;
  #best: number | undefined;

  constructor(matches: Matches, texts: TextsWorth, reading: Reading) {
    const { lineCount, hasWord } = summarize(matches);
    this.lineCount = lineCount;
    this.#texts = texts.terms.length;
    this.rows = this.#texts === 1 ? noRows : rowsIn(matches);
    const isWord = hasWord || this.rows.size > 0;
    const isUse = isWord && !reading.mayDefine;
    // A line that defines a longer name is worth less than one that uses the word.
    const signs = { isWord, inRow: Math.max(1, ...this.rows.values()) };
    this.most = texts.mostOfLine(signs, isUse ? 0 : undefined);
    this.#isKnownUnread = this.#texts === 1 && (isUse || texts.definition === 0);
    this.mayDefine = reading.mayDefine;
    this.#matches = matches;
    this.#reading = reading;
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
