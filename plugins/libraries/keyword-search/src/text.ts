import { isUtf8 } from 'node:buffer';
import type { Content } from '@sextant/library-block-index';

/** Reads bytes by their content offsets. */
export type TextReader = Pick<Content, 'bytes'>;

/** UTF-8; bytes outside it become U+FFFD. */
export const textDecoder = new TextDecoder();
/** A character beyond ASCII. */
export const beyondASCII = /[^\0-\x7f]/;

/** The text between two offsets. */
export function textBetween(reader: TextReader, start: number, end: number): string {
  const bytes = reader.bytes(start, end);
  // Most text is ASCII: then each byte is a character.
  const characters = bytes.toString('latin1');
  return beyondASCII.test(characters) ? textDecoder.decode(bytes) : characters;
}

/**
 * The text of a blob as UTF-8 without byte order mark; undefined for a binary one. As where files are read, it is UTF-16 by its mark, else UTF-8,
 * else Latin-1, and NUL anywhere makes it binary.
 */
export function indexedText(bytes: Buffer): Buffer | undefined {
  const encoding = utf16[bytes.toString('hex', 0, 2)];
  if (encoding !== undefined) {
    const text = new TextDecoder(encoding).decode(bytes);
    return text.includes('\0') ? undefined : Buffer.from(text);
  }
  if (bytes.includes(0)) return undefined;
  if (!isUtf8(bytes)) return Buffer.from(bytes.toString('latin1'));
  return bytes.toString('hex', 0, 3) === 'efbbbf' ? bytes.subarray(3) : bytes;
}

const utf16: Readonly<Record<string, string>> = { fffe: 'utf-16le', feff: 'utf-16be' };
