import { textDecoder } from '../snapshot/text.ts';
import type { TextReader } from '../snapshot/text.ts';
import type { LineMatches } from './matched-lines.ts';

/** UTF-16 offsets of matches. */
export type Ranges = readonly (readonly [number, number])[];

/** A line as it is shown: a long one around its first match. */
interface ShownLine {
  readonly text: string;
  readonly ranges: Ranges;
}

/** Content offsets of a line, without its end. */
export interface Bounds {
  readonly start: number;
  readonly end: number;
}

/** Bytes of a character at most. */
export const longestCharacter = 4;
const carriageReturn = 13;
const firstBeyondASCII = 128;

/** Reads the part of a line that is shown. */
export function showLine(reader: TextReader, matched: LineMatches, mostCharacters: number): ShownLine {
  const end = plainEnd(reader, matched, mostCharacters);
  if (end === undefined) return showPart(reader, matched, mostCharacters);
  return { text: reader.latin1(matched.start, end), ranges: plainRanges(matched, end) };
}

/** The end of a line without its CR. Undefined if the line is too long to be shown as a whole, or is not ASCII. */
export function plainEnd(reader: TextReader, { start, end }: Bounds, mostCharacters: number): number | undefined {
  if (end - start > mostCharacters) return undefined;
  const { bytes, base } = reader.bytes(start, end);
  let all = 0;
  for (let at = base + start; at < base + end; at += 1) all |= bytes[at] ?? 0;
  if (all >= firstBeyondASCII) return undefined;
  return end > start && bytes[base + end - 1] === carriageReturn ? end - 1 : end;
}

/** The matches of a line that is shown up to an offset. */
export function plainRanges({ start: lineStart, ranges }: LineMatches, lineEnd: number): Ranges {
  const shown = ranges.map(({ start, end }): [number, number] => [
    start - lineStart,
    Math.min(lineEnd, end) - lineStart,
  ]);
  const isWhole = ranges.every(({ start, end }) => Math.min(lineEnd, end) > start);
  return isWhole ? shown : shown.filter(([start, end]) => end > start);
}

export function showPart(reader: TextReader, matched: LineMatches, mostCharacters: number): ShownLine {
  const first = (matched.ranges[0]?.start ?? matched.start) - matched.start;
  const isLong = matched.end - matched.start > mostCharacters && first > mostCharacters / 2;
  const wanted = isLong ? first - Math.floor(mostCharacters / 4) : 0;
  const before = Math.min(longestCharacter - 1, wanted);
  // Bytes beyond this are cut anyway.
  const begin = matched.start + wanted - before;
  const bytes = reader.text(begin, Math.min(matched.end, begin + before + longestCharacter * mostCharacters));
  const skipped = before === 0 ? 0 : characterStart(bytes, before);
  const window = bytes.subarray(skipped);
  const from = wanted - before + skipped;
  const prefix = isLong ? '…' : '';
  const decoded = textDecoder.decode(window);
  const text = prefix + decoded.replace(/\r$/, '');
  // In ASCII text each byte is a character.
  const charactersBefore =
    decoded.length === window.length
      ? (byte: number): number => byte
      : (byte: number): number => textDecoder.decode(window.subarray(0, byte)).length;
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
