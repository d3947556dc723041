import type { Match } from '../match/matches.ts';

const NEWLINE = 10;
/** Stands for a byte of no character in the text that the other engine reads. */
const STAND_IN = '\uf8ff';

export type Found = Omit<Match, 'isWordStart' | 'isWordEnd'>;

/** Lower case of ASCII letters only. */
export function asciiLower(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.map((byte) => (byte >= 65 && byte <= 90 ? byte + 32 : byte)));
}

/** Occurrences that do not overlap, by a plain search of each document. */
export function naiveLiteral(documents: readonly Buffer[], needle: Buffer, foldCase: boolean): Found[] {
  const found: Found[] = [];
  let offset = 0;
  documents.forEach((original, document) => {
    const text = foldCase ? asciiLower(original) : original;
    const wanted = foldCase ? asciiLower(needle) : needle;
    let line = 0;
    let counted = 0;
    for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
      const lineStart = at === 0 ? 0 : text.lastIndexOf(NEWLINE, at - 1) + 1;
      for (let i = text.indexOf(NEWLINE, counted); i >= 0 && i < lineStart; i = text.indexOf(NEWLINE, i + 1)) line++;
      counted = lineStart;
      const newline = text.indexOf(NEWLINE, at);
      const lineEnd = newline < 0 ? text.length : newline;
      found.push({
        document,
        line,
        lineStart: lineStart + offset,
        lineEnd: lineEnd + offset,
        start: at + offset,
        end: at + needle.length + offset,
      });
    }
    offset += original.length;
  });
  return found;
}

/** Matches line by line with the engine's own regular expressions, after decoding by hand. */
export function naiveRegex(documents: readonly Buffer[], expression: RegExp): Found[] {
  const found: Found[] = [];
  let offset = 0;
  documents.forEach((text, document) => {
    let line = 0;
    for (let from = 0; from < text.length; line++) {
      const newline = text.indexOf(NEWLINE, from);
      const to = newline < 0 ? text.length : newline;
      for (const [start, end] of rangesIn(text.subarray(from, to), expression)) {
        found.push({
          document,
          line,
          lineStart: from + offset,
          lineEnd: to + offset,
          start: from + start + offset,
          end: from + end + offset,
        });
      }
      from = to + 1;
    }
    offset += text.length;
  });
  return found;
}

/** Byte ranges of the matches; the empty ones only if there are no others, and then the first. */
function rangesIn(line: Buffer, expression: RegExp): [number, number][] {
  const { text, offsets } = decode(line);
  const isInsidePair = (i: number): boolean => /[\udc00-\udfff]/.test(text.charAt(i)); // where the other engine finds empty matches
  const matches = [...text.matchAll(expression)].filter(({ index }) => !isInsidePair(index));
  const ranges = matches.map(({ 0: all, index }): [number, number] => [
    offsets[index] ?? 0,
    offsets[index + all.length] ?? 0,
  ]);
  const some = ranges.filter(([start, end]) => end > start);
  return some.length > 0 ? some : ranges.slice(0, 1);
}

/** Text of a line and the byte offset of each of its UTF-16 units. */
function decode(line: Buffer): { text: string; offsets: number[] } {
  const offsets: number[] = [];
  let text = '';
  for (let at = 0; at < line.length; ) {
    const isAscii = (line[at] ?? 0) < 128;
    const length = isAscii ? 1 : [2, 3, 4].find((n) => isCharacter(line.subarray(at, at + n), n));
    const character = length === undefined ? STAND_IN : line.toString('utf8', at, at + length);
    for (let i = 0; i < character.length; i++) offsets.push(at);
    text += character;
    at += length ?? 1;
  }
  offsets.push(line.length);
  return { text, offsets };
}

function isCharacter(bytes: Buffer, length: number): boolean {
  if (bytes.length !== length) return false;
  try {
    return [...new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)].length === 1;
  } catch {
    return false;
  }
}
