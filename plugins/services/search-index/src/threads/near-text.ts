import type { TextReader } from './document-lines.ts';

/** Bytes that are read at once, with some of those before what is asked for. */
const readBytes = 4096;
const bytesBefore = 256;

/** The text of a document, of which lines are read that stand close together: each reading of the content costs as much as some hundred bytes. */
export class NearText implements TextReader {
  readonly #reader: TextReader;
  readonly #document: { readonly start: number; readonly end: number };
  /** What was read last, a character for each byte. */
  #text = '';
  #start = 0;

  constructor(reader: TextReader, document: { readonly start: number; readonly end: number }) {
    this.#reader = reader;
    this.#document = document;
  }

  text(start: number, end: number): Uint8Array {
    return this.#reader.text(start, end);
  }

  latin1(start: number, end: number): string {
    if (start < this.#start || end > this.#start + this.#text.length) this.#read(start, end);
    return this.#text.slice(start - this.#start, end - this.#start);
  }

  #read(start: number, end: number): void {
    const { start: first, end: last } = this.#document;
    this.#start = Math.max(first, start - bytesBefore);
    this.#text = this.#reader.latin1(this.#start, Math.max(end, Math.min(last, this.#start + readBytes)));
  }
}
