import type { Content, Matches } from '@sextant/library-block-index';
import type { FileWorth } from './file-worth.ts';
import { noRows, rowsIn, summarize } from './hit.ts';
import type { Rows } from './hit.ts';
import { bestOf } from './rated-lines.ts';

interface Reading {
  readonly content: Content;
  readonly lineCharacters: number;
}

/** What the lines of a document with matches are worth. */
export class LinesWorth {
  readonly lineCount: number;
  readonly rows: Rows;
  /** No line is worth more: it is known before they are read. */
  readonly most: number;
  readonly #matches: Matches;
  readonly #worth: FileWorth;
  readonly #reading: Reading;
  #best: number | undefined;

  constructor(matches: Matches, worth: FileWorth, reading: Reading) {
    const { lineCount, hasWord } = summarize(matches);
    this.lineCount = lineCount;
    this.rows = worth.texts === 1 ? noRows : rowsIn(matches);
    this.most = worth.mostOfLine({ isWord: hasWord, inRow: Math.max(1, ...this.rows.values()) });
    this.#matches = matches;
    this.#worth = worth;
    this.#reading = reading;
  }

  /** Of the best line; they are read when it is first asked for, where that tells more. */
  get best(): number {
    return (this.#best ??= this.#worth.isKnownUnread ? this.most : this.#read());
  }

  #read(): number {
    const { content, lineCharacters } = this.#reading;
    const { most, rows } = this;
    return bestOf(this.#matches, content, { lineCharacters, texts: this.#worth.texts, rows, most });
  }
}
