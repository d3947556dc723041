import type { Content } from '@sextant/library-block-index';
import type { HitLine } from './hit.ts';

/** A line as it is shown: a long one around its first match. */
export interface ShownLine {
  readonly text: string;
  /** UTF-16 offsets of the matches in `text`. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** Reads bytes by their content offsets: as they are, or each as a character. */
export type TextReader = Pick<Content, 'text' | 'latin1'>;

/** Bytes of a character at most. */
const longestCharacter = 4;
const carriageReturn = 13;
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
export function showLine(reader: TextReader, hit: HitLine, mostCharacters: number): ShownLine {
  if (hit.end - hit.start <= mostCharacters) {
    const text = reader.latin1(hit.start, hit.end);
    if (!beyondASCII.test(text)) return showPlain(text, hit);
  }
  return showPart(reader, hit, mostCharacters);
}

/** Each byte is a character: so it is with most lines. */
function showPlain(line: string, hit: HitLine): ShownLine {
  const length = line.charCodeAt(line.length - 1) === carriageReturn ? line.length - 1 : line.length;
  const ranges = hit.ranges.map(([from, to]): [number, number] => [
    Math.min(length, from - hit.start),
    Math.min(length, to - hit.start),
  ]);
  const isEmpty = ranges.some(([start, end]) => end <= start);
  return { text: line.slice(0, length), ranges: isEmpty ? ranges.filter(([start, end]) => end > start) : ranges };
}

function showPart(reader: TextReader, hit: HitLine, mostCharacters: number): ShownLine {
  const first = (hit.ranges[0]?.[0] ?? hit.start) - hit.start;
  const isLong = hit.end - hit.start > mostCharacters && first > mostCharacters / 2;
  const wanted = isLong ? first - Math.floor(mostCharacters / 4) : 0;
  const before = Math.min(longestCharacter - 1, wanted);
  // What is beyond so many bytes is cut anyway.
  const begin = hit.start + wanted - before;
  const bytes = reader.text(begin, Math.min(hit.end, begin + before + longestCharacter * mostCharacters));
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
    Math.min(text.length, prefix.length + charactersBefore(Math.max(0, at - hit.start - from)));
  const ranges = hit.ranges.map(([start, end]) => [offset(start), offset(end)] as const);
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

/** Bytes that are read first to find where a line begins or ends, then always more: most lines are short. */
const readBytes = 128;
const growth = 4;

/** The lines right before and after lines with matches, read as they are asked for. */
export class DocumentLines {
  /** Lines up to the one after the last match. */
  readonly count: number;
  readonly #place: DocumentPlace;
  readonly #hits: ReadonlyMap<number, HitLine>;

  constructor(hits: readonly HitLine[], place: DocumentPlace) {
    const last = hits.at(-1);
    this.count = last ? last.line + (last.end + 1 < place.end ? 2 : 1) : 0;
    this.#place = place;
    this.#hits = new Map(hits.map((hit) => [hit.line, hit]));
  }

  /** The line of a number, where it has a match. */
  hitAt(line: number): HitLine | undefined {
    return this.#hits.get(line);
  }

  /** The line without its end, at most so many characters and some more; empty for one that is not beside a match. */
  text(line: number, mostCharacters: number): string {
    const [before, after] = [this.#hits.get(line - 1), this.#hits.get(line + 1)];
    if (before) return this.#from(before.end + 1, this.#place.end, mostCharacters);
    return after ? this.#from(this.#startOf(after.start - 1), after.start - 1, mostCharacters) : '';
  }

  #from(start: number, end: number, mostCharacters: number): string {
    const { reader } = this.#place;
    const most = Math.min(end, start + longestCharacter * mostCharacters);
    let [to, stop] = [start, -1];
    // As characters: a string costs less than bytes of its own.
    for (let size = readBytes; stop < 0 && to < most; size *= growth) {
      to = Math.min(most, start + size);
      stop = reader.latin1(start, to).indexOf('\n');
    }
    return this.#plain(start, stop < 0 ? to : start + stop);
  }

  #plain(start: number, end: number): string {
    const line = textBetween(this.#place.reader, start, end);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  /** Where the line begins that ends here. */
  #startOf(end: number): number {
    const { start, reader } = this.#place;
    for (let to = end, size = readBytes; to > start; size *= growth) {
      const from = Math.max(start, to - size);
      const found = reader.latin1(from, to).lastIndexOf('\n');
      if (found >= 0) return from + found + 1;
      to = from;
    }
    return start;
  }
}
