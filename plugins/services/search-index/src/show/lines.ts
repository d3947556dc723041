import { cut } from '@sextant/core';
import { longestCharacter, plainEnd, plainRanges, showPart } from '../rank/shown-line.ts';
import type { Bounds, Ranges } from '../rank/shown-line.ts';
import type { LineMatches } from '../rank/matched-lines.ts';
import { textBetween } from '../snapshot/text.ts';
import type { TextReader } from '../snapshot/text.ts';

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
export interface DocumentLine extends Bounds {
  /** Absent where it is shown as it stands between its bounds. */
  readonly text: string | undefined;
  readonly length: number;
  /** Absent where it has no match. */
  readonly ranges: Ranges | undefined;
}

/** The lines of a document with matches, and their neighbours. Strings are made only for lines that are shown. */
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
    const matched = this.#matched[nearest];
    if (!matched || matched.line !== line) return this.#beside(this.#boundsOf(line, matched));
    return this.#withMatches(matched);
  }

  /** The text of neighbouring lines. */
  textOf(lines: readonly DocumentLine[]): string {
    const { reader } = this.#place;
    const [first, last] = [lines[0], lines.at(-1)];
    if (first && last && isAsItStands(lines)) return reader.latin1(first.start, last.end);
    return lines.map(({ text, start, end }) => text ?? reader.latin1(start, end)).join('\n');
  }

  #withMatches(matched: LineMatches): DocumentLine {
    const [{ reader }, most] = [this.#place, this.#mostCharacters];
    const { start } = matched;
    const end = plainEnd(reader, matched, most);
    if (end !== undefined)
      return { start, end, text: undefined, length: end - start, ranges: plainRanges(matched, end) };
    const shown = showPart(reader, matched, most);
    const text = cut(shown.text, most);
    const { length } = text;
    const within = shown.ranges.filter(([from]) => from < length);
    return { start, end: matched.end, text, length, ranges: within.map(([from, to]) => [from, Math.min(to, length)]) };
  }

  #beside(bounds: Bounds): DocumentLine {
    const [{ reader }, most] = [this.#place, this.#mostCharacters];
    const { start } = bounds;
    const end = plainEnd(reader, bounds, most);
    if (end !== undefined) return { start, end, text: undefined, length: end - start, ranges: undefined };
    // Only the shown part of a long line is read.
    const line = textBetween(reader, start, Math.min(bounds.end, start + longestCharacter * most));
    const text = cut(line.endsWith('\r') ? line.slice(0, -1) : line, most);
    return { start, end: bounds.end, text, length: text.length, ranges: undefined };
  }

  #boundsOf(line: number, matched: LineMatches | undefined): Bounds {
    if (!matched) return { start: 0, end: 0 };
    if (line < matched.line) return { start: this.#startOf(matched.start - 1), end: matched.start - 1 };
    return { start: matched.end + 1, end: this.#endOf(matched.end + 1) };
  }

  /** The end of the line that begins here, or of the part that is shown. */
  #endOf(start: number): number {
    const { reader, end: last } = this.#place;
    const most = Math.min(last, start + longestCharacter * this.#mostCharacters);
    const { bytes, base } = reader.bytes(start, most);
    let end = start;
    while (end < most && bytes[base + end] !== newline) end += 1;
    return end;
  }

  /** Where the line begins that ends here. */
  #startOf(end: number): number {
    const { start: first, reader } = this.#place;
    for (let [to, size] = [end, readBytes]; to > first; size *= growth) {
      const from = Math.max(first, to - size);
      const { bytes, base } = reader.bytes(from, to);
      for (; to > from; to -= 1) if (bytes[base + to - 1] === newline) return to;
    }
    return first;
  }
}

/** Whether neighbouring lines are shown without changes, so that one string has all of them. */
function isAsItStands(lines: readonly DocumentLine[]): boolean {
  for (let i = 0, end: number | undefined; i < lines.length; i += 1) {
    const line = lines[i];
    if (!line || line.text !== undefined || (end !== undefined && line.start !== end + 1)) return false;
    end = line.end;
  }
  return true;
}
