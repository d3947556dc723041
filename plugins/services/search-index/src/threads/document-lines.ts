import type { HitLine } from './hit.ts';

/** A line as it is shown: a long one around its first match. */
export interface ShownLine {
  readonly text: string;
  /** UTF-16 offsets of the matches in `text`. */
  readonly ranges: readonly (readonly [number, number])[];
}

const newline = 10;
const decoder = new TextDecoder();

/** Cuts a line to what is shown of it. `bytes` is the line without its end, which begins at the content offset of the hit. */
export function showLine(bytes: Uint8Array, hit: HitLine, mostCharacters: number): ShownLine {
  const first = (hit.ranges[0]?.[0] ?? hit.start) - hit.start;
  const isLong = bytes.length > mostCharacters && first > mostCharacters / 2;
  const from = isLong ? characterStart(bytes, first - Math.floor(mostCharacters / 4)) : 0;
  // No character is more than four bytes; what is beyond is cut anyway.
  const window = bytes.subarray(from, from + 4 * mostCharacters);
  const prefix = isLong ? '…' : '';
  const text = prefix + decoder.decode(window).replace(/\r$/, '');
  const offset = (at: number): number =>
    Math.min(
      text.length,
      prefix.length + decoder.decode(window.subarray(0, Math.max(0, at - hit.start - from))).length,
    );
  const ranges = hit.ranges.map(([start, end]) => [offset(start), offset(end)] as const);
  return { text, ranges: ranges.filter(([start, end]) => end > start) };
}

/** The nearest beginning of a character at or before an offset. */
function characterStart(bytes: Uint8Array, offset: number): number {
  let at = Math.max(0, offset);
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}

/** The lines of a document, found as they are asked for. */
export class DocumentLines {
  readonly #bytes: Uint8Array;
  readonly #starts: number[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    for (let at = 0; at < bytes.length; ) {
      this.#starts.push(at);
      const end = bytes.indexOf(newline, at);
      at = end < 0 ? bytes.length : end + 1;
    }
  }

  get count(): number {
    return this.#starts.length;
  }

  /** A line without its end, at most so many characters and some more. */
  text(line: number, mostCharacters: number): string {
    const start = this.#starts[line] ?? this.#bytes.length;
    const next = this.#starts[line + 1] ?? this.#bytes.length;
    const end = this.#bytes[next - 1] === newline ? next - 1 : next;
    return decoder.decode(this.#bytes.subarray(start, Math.min(end, start + 4 * mostCharacters))).replace(/\r$/, '');
  }
}
