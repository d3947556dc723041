import type { HitLine } from './hit.ts';

/** A line as it is shown: a long one around its first match. */
export interface ShownLine {
  readonly text: string;
  /** UTF-16 offsets of the matches in `text`. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** Reads bytes by their content offsets. */
export type ReadText = (start: number, end: number) => Uint8Array;

/** Bytes of a character at most. */
const longestCharacter = 4;
const newline = 10;
const decoder = new TextDecoder();

/** Cuts a line to what is shown of it, and reads no more. */
export function showLine(read: ReadText, hit: HitLine, mostCharacters: number): ShownLine {
  const first = (hit.ranges[0]?.[0] ?? hit.start) - hit.start;
  const isLong = hit.end - hit.start > mostCharacters && first > mostCharacters / 2;
  const wanted = isLong ? first - Math.floor(mostCharacters / 4) : 0;
  const before = Math.min(longestCharacter - 1, wanted);
  // What is beyond so many bytes is cut anyway.
  const begin = hit.start + wanted - before;
  const bytes = read(begin, Math.min(hit.end, begin + before + longestCharacter * mostCharacters));
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

/** Where a document is, and how its bytes are read. */
export interface DocumentPlace {
  readonly start: number;
  readonly end: number;
  readonly read: ReadText;
}

/** Bytes that are read at once to find where a line begins. */
const readBytes = 1024;

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

  /** The line without its end, at most so many characters and some more; empty for one that is not beside a match. */
  text(line: number, mostCharacters: number): string {
    const [before, after] = [this.#hits.get(line - 1), this.#hits.get(line + 1)];
    if (before) return this.#from(before.end + 1, this.#place.end, mostCharacters);
    return after ? this.#from(this.#startOf(after.start - 1), after.start - 1, mostCharacters) : '';
  }

  #from(start: number, end: number, mostCharacters: number): string {
    const bytes = this.#place.read(start, Math.min(end, start + longestCharacter * mostCharacters));
    const stop = bytes.indexOf(newline);
    return decoder.decode(stop < 0 ? bytes : bytes.subarray(0, stop)).replace(/\r$/, '');
  }

  /** Where the line begins that ends here. */
  #startOf(end: number): number {
    const { start, read } = this.#place;
    for (let to = end; to > start; ) {
      const from = Math.max(start, to - readBytes);
      const found = read(from, to).lastIndexOf(newline);
      if (found >= 0) return from + found + 1;
      to = from;
    }
    return start;
  }
}
