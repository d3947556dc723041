import { isUtf8 } from 'node:buffer';

/**
 * The text of a file: UTF-16 by its byte order mark, else UTF-8, else Latin-1; undefined for a binary file, which is one with a
 * NUL anywhere.
 */
export function textOf(bytes: Uint8Array): string | undefined {
  const [first, second, third] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined;
  if (utf16 !== undefined) return withoutNul(new TextDecoder(utf16).decode(bytes));
  if (bytes.includes(0)) return undefined;
  const hasMark = first === 0xef && second === 0xbb && third === 0xbf;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return isUtf8(bytes) ? buffer.toString('utf8', hasMark ? 3 : 0) : buffer.toString('latin1');
}

const withoutNul = (text: string): string | undefined => (text.includes('\0') ? undefined : text);

/** The lines without their LF; a final line end begins no line. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}
