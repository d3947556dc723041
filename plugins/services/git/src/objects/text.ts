import { isUtf8 } from 'node:buffer';
import type { TextFile } from '@sextant/contracts';

/** Decodes a file: UTF-16 by its byte order mark, else UTF-8, else Latin-1; undefined for a binary file. */
export function decodeText(bytes: Buffer): TextFile | undefined {
  const decoded = decodeUtf16(bytes) ?? decodeBytes(bytes);
  if (decoded === undefined || decoded.text.includes('\0')) return undefined;
  return { ...decoded, bytes: bytes.length, lineStarts: lineStartsOf(decoded.text) };
}

type Decoded = Pick<TextFile, 'text' | 'encoding'>;

function decodeUtf16(bytes: Buffer): Decoded | undefined {
  const encoding = { fffe: 'utf-16le', feff: 'utf-16be' } as const;
  const mark = bytes.toString('hex', 0, 2);
  if (mark !== 'fffe' && mark !== 'feff') return undefined;
  return { text: new TextDecoder(encoding[mark]).decode(bytes), encoding: encoding[mark] };
}

function decodeBytes(bytes: Buffer): Decoded | undefined {
  if (bytes.includes(0)) return undefined;
  if (!isUtf8(bytes)) return { text: bytes.toString('latin1'), encoding: 'latin1' };
  const hasMark = bytes.length >= 3 && bytes.toString('hex', 0, 3) === 'efbbbf';
  return { text: bytes.toString('utf8', hasMark ? 3 : 0), encoding: 'utf-8' };
}

/** Only LF ends a line, as in git's diffs and searches: the numbers agree with theirs. */
function lineStartsOf(text: string): number[] {
  const starts: number[] = [];
  for (let start = 0; start < text.length; ) {
    starts.push(start);
    const end = text.indexOf('\n', start);
    start = end < 0 ? text.length : end + 1;
  }
  return starts;
}
