import type { TextReader } from '../show/document-lines.ts';

/** Bytes that are read at once, with some of those before what is asked for. */
const readBytes = 4096;
const bytesBefore = 256;

/** The text of a document, of which lines are read that stand close together: each reading of what is not in memory costs as much as some hundred lines. */
export class NearText implements TextReader {
  readonly #reader: TextReader;
  readonly #document: { readonly start: number; readonly end: number };
  /** What was read last, and from where to where. */
  #near: ReturnType<TextReader['bytes']> | undefined;
  #start = 0;
  #end = 0;

  constructor(reader: TextReader, document: { readonly start: number; readonly end: number }) {
    this.#reader = reader;
    this.#document = document;
  }

  text(start: number, end: number): Uint8Array {
    return this.#reader.text(start, end);
  }

  latin1(start: number, end: number): string {
    const { bytes, base } = this.bytes(start, end);
    return bytes.toString('latin1', base + start, base + end);
  }

  bytes(start: number, end: number): ReturnType<TextReader['bytes']> {
    if (!this.#near || start < this.#start || end > this.#end) this.#near = this.#read(start, end);
    return this.#near;
  }

  #read(start: number, end: number): ReturnType<TextReader['bytes']> {
    const { start: first, end: last } = this.#document;
    this.#start = Math.max(first, start - bytesBefore);
    this.#end = Math.max(end, Math.min(last, this.#start + readBytes));
    return this.#reader.bytes(this.#start, this.#end);
  }
}
