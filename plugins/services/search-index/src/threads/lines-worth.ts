import type { Content, Matches } from '@sextant/library-block-index';
import type { FileWorth } from './file-worth.ts';
import { noLines, phraseLines, summarize } from './hit.ts';
import { bestOf } from './rated-lines.ts';

interface Reading {
  readonly content: Content;
  readonly lineCharacters: number;
}

/** What the lines of a document with matches are worth. */
export class LinesWorth {
  readonly lineCount: number;
  readonly phrases: ReadonlySet<number>;
  /** No line is worth more: it is known before they are read. */
  readonly most: number;
  readonly #matches: Matches;
  readonly #worth: FileWorth;
  readonly #reading: Reading;
  #best: number | undefined;

  constructor(matches: Matches, worth: FileWorth, reading: Reading) {
    const { lineCount, hasWord } = summarize(matches);
    this.lineCount = lineCount;
    this.phrases = worth.isOneText ? noLines : phraseLines(matches);
    this.most = worth.mostOfLine({ isWord: hasWord, isPhrase: this.phrases.size > 0 });
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
    const { most, phrases } = this;
    return bestOf(this.#matches, content, { lineCharacters, isOneText: this.#worth.isOneText, phrases, most });
  }
}
