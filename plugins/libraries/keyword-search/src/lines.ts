import { cut } from '@sextant/core';
import { longestCharacter, showLine } from './shown-line.ts';
import type { Ranges } from './shown-line.ts';
import type { LineMatches } from './matched-lines.ts';
import type { TextReader } from './text.ts';

const newline = 10;

/** The content offsets of a document, and its reader. */
export interface DocumentSource {
  readonly start: number;
  readonly end: number;
  readonly reader: TextReader;
}

/** Bytes that are read first to find where a line begins, then always more: most lines are short. */
const readBytes = 128;
const growth = 4;

/** A line as it is shown. */
export interface DocumentLine {
  readonly text: string;
  readonly length: number;
  /** Absent where it has no match. */
  readonly ranges: Ranges | undefined;
}

/** The lines of a document with matches, and their neighbours. They are read when they are shown. */
export class DocumentLines {
  /** Lines up to the one after the last match. */
  readonly lineCount: number;
  readonly #place: DocumentSource;
  readonly #mostCharacters: number;
  readonly #matched: readonly LineMatches[];

  constructor(matched: readonly LineMatches[], place: DocumentSource, mostCharacters: number) {
    const last = matched.at(-1);
    this.lineCount = last ? last.line + (last.end + 1 < place.end ? 2 : 1) : 0;
    this.#place = place;
    this.#mostCharacters = mostCharacters;
    this.#matched = matched;
  }

  /** A line by its number, and that of the line with matches, among them, which it is or is beside. */
  lineOf(line: number, nearest: number): DocumentLine {
    const [matched, most] = [this.#matched[nearest], this.#mostCharacters];
    const isBeside = matched?.line !== line;
    const wanted = isBeside ? { ...this.#boundsOf(line, matched), ranges: [] } : matched;
    const shown = showLine(this.#place.reader, wanted, most);
    const text = cut(shown.text, most);
    const { length } = text;
    if (isBeside) return { text, length, ranges: undefined };
    const within = shown.ranges.filter(([from]) => from < length);
    return { text, length, ranges: within.map(([from, to]) => [from, Math.min(to, length)]) };
  }

  /** Content offsets of a line beside another one, without its end. */
  #boundsOf(line: number, matched: LineMatches | undefined): Pick<LineMatches, 'start' | 'end'> {
    if (!matched) return { start: 0, end: 0 };
    if (line < matched.line) return { start: this.#startOf(matched.start - 1), end: matched.start - 1 };
    return { start: matched.end + 1, end: this.#endOf(matched.end + 1) };
  }

  /** The end of the line that begins here, or of the part that is shown. */
  #endOf(start: number): number {
    const { reader, end: last } = this.#place;
    const most = Math.min(last, start + longestCharacter * this.#mostCharacters);
    const end = reader.bytes(start, most).indexOf(newline);
    return end < 0 ? most : start + end;
  }

  /** Where the line begins that ends here. */
  #startOf(end: number): number {
    const { start: first, reader } = this.#place;
    for (let [to, size] = [end, readBytes]; to > first; size *= growth) {
      const from = Math.max(first, to - size);
      const newlineAt = reader.bytes(from, to).lastIndexOf(newline);
      if (newlineAt >= 0) return from + newlineAt + 1;
      to = from;
    }
    return first;
  }
}
