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
