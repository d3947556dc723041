import type { FileHandle } from 'node:fs/promises';
import { deflateRawSync } from 'node:zlib';
import { SextantError } from '@sextant/core';
import { encodeFooter, openBytes, postingOf } from './index-format.ts';
import type { Directory, IndexLabel, StoredDocument } from './index-format.ts';
import type { ScipDocument } from './scip-format.ts';
import { isLocal, symbolHash } from './symbol-name.ts';

/** Writes an index document by document; what it holds meanwhile are eight bytes for each symbol of each document. */
export class IndexWriter {
  readonly #file: FileHandle;
  readonly #documents: [path: string, offset: number, length: number][] = [];
  #postings = new BigUint64Array(1024);
  #postingCount = 0;
  readonly #maxOpenBytes: number;
  #at = 0;
  #occurrences = 0;

  /** `maxOpenBytes`: most bytes that the index may take in memory while it is open. */
  constructor(file: FileHandle, { maxOpenBytes }: { maxOpenBytes: number }) {
    this.#file = file;
    this.#maxOpenBytes = maxOpenBytes;
  }

  get occurrences(): number {
    return this.#occurrences;
  }

  get documents(): number {
    return this.#documents.length;
  }

  async add(document: ScipDocument): Promise<void> {
    const stored = this.#stored(document);
    const bytes = deflateRawSync(JSON.stringify(stored), { level: 3 });
    this.#documents.push([document.path, this.#at, bytes.length]);
    await this.#write(bytes);
    this.#occurrences += document.occurrences.length;
  }

  async finish(label: Omit<IndexLabel, 'occurrences'>): Promise<void> {
    const postings = this.#postings.subarray(0, this.#postingCount).sort();
    const postingsAt = this.#at;
    await this.#write(Buffer.from(postings.buffer, 0, postings.byteLength));
    const directory: Directory = { ...label, occurrences: this.#occurrences, documents: this.#documents };
    const text = JSON.stringify(directory);
    this.#assertOpens(postings.byteLength, text.length);
    const packed = deflateRawSync(text);
    const directoryAt = this.#at;
    await this.#write(packed);
    const sizes = { postingsAt, postingsBytes: postings.byteLength, directoryAt, directoryBytes: packed.length };
    await this.#write(encodeFooter(sizes));
    await this.#file.sync();
  }

  #stored({ unit, occurrences }: ScipDocument): StoredDocument {
    const numbers = new Map<string, number>();
    const defined = new Set<string>();
    const flat = occurrences.flatMap(({ line, start, end, symbol, isDefinition }) => {
      const number = numbers.get(symbol) ?? numbers.size;
      numbers.set(symbol, number);
      if (isDefinition) defined.add(symbol);
      return [line, start, end, number, Number(isDefinition)];
    });
    const symbols = [...numbers.keys()];
    for (const symbol of symbols) if (!isLocal(symbol)) this.#post(symbol, defined.has(symbol));
    return { unit, symbols, occurrences: flat };
  }

  #post(symbol: string, isDefinition: boolean): void {
    this.#assertOpens(8 * this.#postingCount, 0);
    if (this.#postingCount === this.#postings.length) {
      const larger = new BigUint64Array(2 * this.#postings.length);
      larger.set(this.#postings);
      this.#postings = larger;
    }
    this.#postings[this.#postingCount] = postingOf(symbolHash(symbol), this.#documents.length, isDefinition);
    this.#postingCount += 1;
  }

  #assertOpens(postings: number, directory: number): void {
    if (openBytes({ postings, directory }) <= this.#maxOpenBytes) return;
    throw new SextantError(
      'too_large',
      `the SCIP index would take more than ${this.#maxOpenBytes} bytes of memory while it is open (cachedBytes of service-scip): ` +
        'index the folders of the repository one by one, each with its own root',
    );
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#at + done);
      done += bytesWritten;
    }
    this.#at += bytes.length;
  }
}
