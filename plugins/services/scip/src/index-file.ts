import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';
import {
  decodeFooter,
  documentOf,
  footerBytes,
  hashOf,
  numbersPerOccurrence,
  openBytes,
  postingOf,
} from './index-format.ts';
import type { Directory, IndexLabel, StoredDocument } from './index-format.ts';
import type { Occurrence, ScipDocument } from './scip-format.ts';
import { symbolHash } from './symbol-name.ts';

/** An index on disk, open for reading: its directory and postings are in memory, documents are read when they are wanted. */
export class IndexFile {
  readonly label: IndexLabel;
  /** Bytes that it holds in memory. */
  readonly bytes: number;
  readonly #descriptor: number;
  readonly #documents: Directory['documents'];
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #postings: BigUint64Array;

  /** Undefined for a file that was never finished or is not of this version. */
  static open(path: string): IndexFile | undefined {
    const descriptor = openSync(path, 'r');
    try {
      const { size } = fstatSync(descriptor);
      const footer =
        size < footerBytes ? undefined : decodeFooter(bytesAt(descriptor, size - footerBytes, footerBytes));
      if (footer) return new IndexFile(descriptor, footer);
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
    closeSync(descriptor);
    return undefined;
  }

  private constructor(descriptor: number, footer: NonNullable<ReturnType<typeof decodeFooter>>) {
    const packed = inflateRawSync(bytesAt(descriptor, footer.directoryAt, footer.directoryBytes)).toString();
    const { documents, ...label }: Directory = JSON.parse(packed);
    const postings = bytesAt(descriptor, footer.postingsAt, footer.postingsBytes);
    this.#descriptor = descriptor;
    this.#documents = documents;
    this.#numbers = new Map(documents.map(([path], number) => [path, number]));
    this.#postings = new BigUint64Array(postings.buffer, postings.byteOffset, postings.length / 8);
    this.label = label;
    this.bytes = openBytes({ postings: postings.length, directory: packed.length });
  }

  get documents(): number {
    return this.#documents.length;
  }

  /** The number of the document of a file. */
  numberOf(path: string): number | undefined {
    return this.#numbers.get(path);
  }

  /** Throws for a number that no document has. */
  read(number: number): ScipDocument {
    const [path, offset, length] = this.#documents[number] ?? [];
    if (path === undefined || offset === undefined || length === undefined)
      throw new Error(`there is no document ${number}`);
    const packed = inflateRawSync(bytesAt(this.#descriptor, offset, length)).toString();
    const { unit, symbols, occurrences }: StoredDocument = JSON.parse(packed);
    const found: Occurrence[] = [];
    for (let at = 0; at < occurrences.length; at += numbersPerOccurrence) {
      // Not by a slice for each: a large file has half a million.
      const [line, start, end] = [occurrences[at] ?? 0, occurrences[at + 1] ?? 0, occurrences[at + 2] ?? 0];
      const symbol = symbols[occurrences[at + 3] ?? 0] ?? '';
      found.push({ line, start, end, symbol, isDefinition: occurrences[at + 4] === 1 });
    }
    return { path, unit, occurrences: found };
  }

  /** Numbers of the documents that have a symbol, or one of the same hash. */
  having(symbol: string): { document: number; isDefinition: boolean }[] {
    const hash = symbolHash(symbol);
    const found: { document: number; isDefinition: boolean }[] = [];
    for (let at = this.#firstFrom(postingOf(hash, 0, false)); at < this.#postings.length; at += 1) {
      const posting = this.#postings[at] ?? 0n;
      if (hashOf(posting) !== hash) break;
      found.push(documentOf(posting));
    }
    return found;
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #firstFrom(wanted: bigint): number {
    let [low, high] = [0, this.#postings.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#postings[middle] ?? 0n) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Throws where the file does not have them, before it takes memory for them. */
function bytesAt(descriptor: number, offset: number, length: number): Buffer {
  if (!(offset >= 0 && length >= 0 && offset + length <= fstatSync(descriptor).size))
    throw new Error('the index file is damaged: it points behind its end');
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const read = readSync(descriptor, bytes, done, length - done, offset + done);
    if (read === 0) throw new Error('the index file ends too early');
    done += read;
  }
  return bytes;
}
