import { beyondASCII, textDecoder } from './text.ts';
import type { TextReader } from './text.ts';
import type { LineMatches } from './matched-lines.ts';

/** UTF-16 offsets of matches. */
export type Ranges = readonly (readonly [number, number])[];

/** A line as it is shown: a long one around its first match. */
interface ShownLine {
  readonly text: string;
  readonly ranges: Ranges;
}

/** Bytes of a character at most. */
export const longestCharacter = 4;

/** Reads the part of a line that is shown, without its CR. */
export function showLine(
  reader: TextReader,
  { start, end, ranges }: Pick<LineMatches, 'start' | 'end' | 'ranges'>,
  mostCharacters: number,
): ShownLine {
  const first = (ranges[0]?.start ?? start) - start;
  const isLong = end - start > mostCharacters && first > mostCharacters / 2;
  const wanted = isLong ? first - Math.floor(mostCharacters / 4) : 0;
  const before = Math.min(longestCharacter - 1, wanted);
  const begin = start + wanted - before;
  // Bytes beyond this are cut anyway.
  const stop = Math.min(end, begin + before + longestCharacter * mostCharacters);
  const { text, skipped, charactersIn } = decoded(reader, { begin, before, stop });
  const shown = `${isLong ? '…' : ''}${text.endsWith('\r') ? text.slice(0, -1) : text}`;
  const offset = (at: number): number =>
    Math.min(shown.length, Number(isLong) + charactersIn(Math.max(0, at - begin - skipped)));
  const found = ranges.map((range) => [offset(range.start), offset(range.end)] as const);
  return { text: shown, ranges: found.filter(([from, to]) => to > from) };
}

interface Decoded {
  /** From the first whole character on. */
  readonly text: string;
  /** Bytes before it. */
  readonly skipped: number;
  /** Characters in so many bytes of it. */
  readonly charactersIn: (bytes: number) => number;
}

function decoded(
  reader: TextReader,
  { begin, before, stop }: { begin: number; before: number; stop: number },
): Decoded {
  // Most text is ASCII: then each byte is a character.
  const bytes = reader.bytes(begin, stop);
  const characters = bytes.toString('latin1');
  if (!beyondASCII.test(characters))
    return { text: characters.slice(before), skipped: before, charactersIn: (count) => count };
  const skipped = characterStart(bytes, before);
  const window = bytes.subarray(skipped);
  const charactersIn = (count: number): number => textDecoder.decode(window.subarray(0, count)).length;
  return { text: textDecoder.decode(window), skipped, charactersIn };
}

/** The nearest beginning of a character at or before an offset. */
function characterStart(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (at > 0 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at -= 1;
  return at;
}
