import type { Content } from '@sextant/library-block-index';

/** Reads bytes by their content offsets: as they are, each as a character, or where they lie. */
export type TextReader = Pick<Content, 'text' | 'latin1' | 'bytes'>;

/** UTF-8; bytes outside it become U+FFFD. */
export const textDecoder = new TextDecoder();
/** A character beyond ASCII. */
export const beyondASCII = /[^\0-\x7f]/;

/** The text between two offsets. */
export function textBetween(reader: TextReader, start: number, end: number): string {
  // Most text is ASCII: then each byte is a character, and no copy of the bytes is needed.
  const characters = reader.latin1(start, end);
  return beyondASCII.test(characters) ? textDecoder.decode(reader.text(start, end)) : characters;
}
