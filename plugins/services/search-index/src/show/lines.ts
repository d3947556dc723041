import type { Content } from '@sextant/library-block-index';
import { cut } from './chunks.ts';
import type { MatchedLine } from '../rank/matched-lines.ts';

/** UTF-16 offsets of matches. */
type Ranges = readonly (readonly [number, number])[];

/** A line as it is shown: a long one around its first match. */
interface ShownLine {
  readonly text: string;
  readonly ranges: Ranges;
}

/** Reads bytes by their content offsets: as they are, each as a character, or where they lie. */
export type TextReader = Pick<Content, 'text' | 'latin1' | 'bytes'>;

/** Bytes of a character at most. */
const longestCharacter = 4;
const [newline, carriageReturn] = [10, 13];
const firstBeyondASCII = 128;
const decoder = new TextDecoder();
/** A character beyond ASCII. */
export const beyondASCII = /[^\0-\x7f]/;

/** The text between two offsets. */
export function textBetween(reader: TextReader, start: number, end: number): string {
  // As characters, mostly: that needs no memory besides.
  const characters = reader.latin1(start, end);
  return beyondASCII.test(characters) ? decoder.decode(reader.text(start, end)) : characters;
}

/** Cuts a line to what is shown of it, and reads no more. */
export function showLine(reader: TextReader, matched: MatchedLine, mostCharacters: number): ShownLine {
  const end = plainEnd(reader, matched, mostCharacters);
  if (end === undefined) return showPart(reader, matched, mostCharacters);
  return { text: reader.latin1(matched.start, end), ranges: plainRanges(matched, end) };
}

/** Where a line ends, without its CR, of which each byte is a character that is shown: so it is with most lines. */
function plainEnd(reader: TextReader, { start, end }: Bounds, mostCharacters: number): number | undefined {
  if (end - start > mostCharacters) return undefined;
  const { bytes, base } = reader.bytes(start, end);
  let all = 0;
  for (let at = base + start; at < base + end; at += 1) all |= bytes[at] ?? 0;
  if (all >= firstBeyondASCII) return undefined;
  return end > start && bytes[base + end - 1] === carriageReturn ? end - 1 : end;
}

/** The matches of a line that is shown up to an offset. */
function plainRanges({ start: lineStart, ranges }: MatchedLine, lineEnd: number): Ranges {
  const shown = ranges.map(({ start, end }): [number, number] => [
    start - lineStart,
    Math.min(lineEnd, end) - lineStart,
  ]);
  const isWhole = ranges.every(({ start, end }) => Math.min(lineEnd, end) > start);
  return isWhole ? shown : shown.filter(([start, end]) => end > start);
}

function showPart(reader: TextReader, matched: MatchedLine, mostCharacters: number): ShownLine {
  const first = (matched.ranges[0]?.start ?? matched.start) - matched.start;
  const isLong = matched.end - matched.start > mostCharacters && first > mostCharacters / 2;
  const wanted = isLong ? first - Math.floor(mostCharacters / 4) : 0;
  const before = Math.min(longestCharacter - 1, wanted);
  // What is beyond so many bytes is cut anyway.
  const begin = matched.start + wanted - before;
  const bytes = reader.text(begin, Math.min(matched.end, begin + before + longestCharacter * mostCharacters));
  const skipped = before === 0 ? 0 : characterStart(bytes, before);
  const window = bytes.subarray(skipped);
  const from = wanted - before + skipped;
  const prefix = isLong ? '…' : '';
  const decoded = decoder.decode(window);
  const text = prefix + decoded.replace(/\r$/, '');
  // Mostly each byte is a character.
  const charactersBefore =
    decoded.length === window.length
      ? (byte: number): number => byte
      : (byte: number): number => decoder.decode(window.subarray(0, byte)).length;
  const offset = (at: number): number =>
    Math.min(text.length, prefix.length + charactersBefore(Math.max(0, at - matched.start - from)));
  const ranges = matched.ranges.map(({ start, end }) => [offset(start), offset(end)] as const);
  return { text, ranges: ranges.filter(([start, end]) => end > start) };
}

/** The nearest beginning of a character at or before an offset. */
function characterStart(bytes: Uint8Array, offset: number): number {
  let at = Math.max(0, offset);
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

/** Where a document is, and who reads it. */
export interface DocumentPlace {
  readonly start: number;
  readonly end: number;
  readonly reader: TextReader;
}

/** Bytes that are read first to find where a line begins, then always more: most lines are short. */
const readBytes = 128;
const growth = 4;

/** Content offsets of a line, without its end. */
interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** A line as it is shown. */
export interface DocumentLine extends Bounds {
  /** Absent where it is shown as it stands between its bounds. */
  readonly text: string | undefined;
  readonly length: number;
  /** Absent where it has no match. */
  readonly ranges: Ranges | undefined;
}

/** The lines with matches of a document and those beside them. Most become strings only where they are shown, several at once. */
export class DocumentLines {
  /** Lines up to the one after the last match. */
  readonly lineCount: number;
  readonly #place: DocumentPlace;
  readonly #mostCharacters: number;
  readonly #matched: readonly MatchedLine[];

  constructor(matched: readonly MatchedLine[], place: DocumentPlace, mostCharacters: number) {
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

  #withMatches(matched: MatchedLine): DocumentLine {
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

  #boundsOf(line: number, matched: MatchedLine | undefined): Bounds {
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

/** Whether what is shown of neighbouring lines is what stands between the first and the last. */
function isAsItStands(lines: readonly DocumentLine[]): boolean {
  for (let i = 0, end: number | undefined; i < lines.length; i += 1) {
    const line = lines[i];
    if (!line || line.text !== undefined || (end !== undefined && line.start !== end + 1)) return false;
    end = line.end;
  }
  return true;
}
