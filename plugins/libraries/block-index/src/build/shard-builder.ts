import { crc32 } from 'node:zlib';
import { LimitError } from '../errors.ts';
import {
  assemble,
  BLOCK_BYTES,
  CLOSED,
  FOLD,
  partsOf,
  SLICE,
  SLICE_OVERLAP,
  SMALL_DOCUMENT,
} from '../format/format.ts';
import type { DocumentPart } from '../format/format.ts';
import { ANY_NAME, nameTables } from '../format/names.ts';
import type { DefinitionWords } from '../format/names.ts';
import { DictionaryWriter } from '../format/trigram-dictionary.ts';
import { loadKernel } from '../kernel/kernel.ts';
import type { Kernel } from '../kernel/kernel.ts';

const NEWLINE = 10;

/** A document and the number of a line in it. */
interface Place {
  document: number;
  line: number;
}

/** The functions that a search would call: building never does. */
const unused = (): number => 0;

/** Addresses in the builder's memory. */
const FOLD_AT = 1024;
const ENTRY_AT = 2048;
const NAMES_AT = 4096;
/** Maximum bytes of the content: addresses in the 4 GB of a WebAssembly memory must suffice. */
const MAX_CONTENT_BYTES = 0xf000_0000;
/** Maximum bytes of a document. The blocks of one of this size fit into half a window of a search. */
export const MAX_DOCUMENT_BYTES = 32 << 20;

/**
 * Builds the file of a shard from documents in the order of their numbers. Use a builder once.
 * The caller stores the text: the content of a shard is the documents one after the other.
 * Needs about two bytes of memory per posting, half of the size of the text.
 */
export class ShardBuilder {
  readonly #memory = takeMemory();
  readonly #u8 = new Uint8Array(this.#memory.buffer);
  readonly #kernel: Kernel;
  readonly #documentSegment: number[] = [];
  readonly #segmentStart: number[] = [];
  readonly #segmentDocument: number[] = [];
  readonly #segmentLine: number[] = [];
  readonly #blockSegment: number[] = [];
  readonly #blockSpan: number[] = [];
  readonly #blockSum: number[] = [];
  readonly #hasNames: boolean;
  readonly #isIndexed: boolean;
  #contentBytes = 0;
  /** Bytes of the block that small documents are packed into; 0 if none is open. */
  #open = 0;

  /**
   * With `definitions`, the shard knows which names its documents may define: see `documentsDefining`. Without an index every block is read by each
   * search, for texts that are searched once.
   */
  constructor({
    definitions,
    isIndexed = true,
  }: { readonly definitions?: DefinitionWords; readonly isIndexed?: boolean } = {}) {
    this.#kernel = loadKernel(this.#memory, { miss: unused, checkpoint: unused, room: unused });
    this.#u8.set(FOLD, FOLD_AT);
    this.#hasNames = definitions !== undefined;
    this.#isIndexed = isIndexed;
    if (definitions) this.#u8.set(nameTables(definitions), NAMES_AT);
    this.#kernel.startPool(POOL_AT);
  }

  get contentBytes(): number {
    return this.#contentBytes;
  }

  /** Adds a document and returns its number. Throws LimitError for one over 32 MB, and when the content would exceed 3.75 GB. */
  add(text: Uint8Array): number {
    if (text.length > MAX_DOCUMENT_BYTES)
      throw new LimitError(`a document has at most ${MAX_DOCUMENT_BYTES} bytes, this one has ${text.length}`);
    if (this.#contentBytes + text.length > MAX_CONTENT_BYTES)
      throw new LimitError('a shard holds at most 3.75 GB of text');
    const document = this.#documentSegment.length;
    this.#documentSegment.push(this.#segmentStart.length);
    if (text.length > 0 && text.length <= SMALL_DOCUMENT) this.#pack(document, text);
    else if (text.length > 0) this.#spread(document, text);
    this.#contentBytes += text.length;
    return document;
  }

  /** Ends building and returns the file. */
  finish(): Uint8Array {
    this.#close();
    this.#documentSegment.push(this.#segmentStart.length);
    this.#blockSegment.push(this.#segmentStart.length);
    const { trigrams, ...lists } = this.#postings();
    const counts = {
      documents: this.#documentSegment.length - 1,
      segments: this.#segmentStart.length,
      blocks: this.#blockSpan.length,
      trigrams,
      contentBytes: this.#contentBytes,
    };
    this.#segmentStart.push(this.#contentBytes);
    giveBack(this.#memory);
    return assemble(counts, {
      documentSegment: bytesOf(this.#documentSegment),
      segmentStart: bytesOf(this.#segmentStart),
      segmentDocument: bytesOf(this.#segmentDocument),
      segmentLine: bytesOf(this.#segmentLine),
      blockSegment: bytesOf(this.#blockSegment),
      blockSpan: bytesOf(this.#blockSpan),
      blockSum: bytesOf(this.#blockSum),
      ...lists,
    });
  }

  #pack(document: number, text: Uint8Array): void {
    if (this.#open > 0 && this.#open + text.length > BLOCK_BYTES) this.#close();
    if (this.#open === 0) this.#begin();
    const at = TEXT_AT + this.#open;
    this.#place(text, at);
    this.#segment(document, this.#contentBytes, 0);
    this.#index(at, at + text.length);
    this.#open += text.length;
  }

  #spread(document: number, text: Uint8Array): void {
    this.#close();
    let line = 0;
    for (const part of partsOf(text)) {
      if (part.isLongLine) {
        this.#group({ document, line: line++ }, text, part);
        continue;
      }
      this.#begin();
      this.#place(text.subarray(part.from, part.to));
      this.#segment(document, this.#contentBytes + part.from, line);
      this.#open = part.to - part.from;
      this.#index(TEXT_AT, TEXT_AT + this.#open);
      line += this.#kernel.countNewlines(TEXT_AT, TEXT_AT + this.#open);
      this.#close();
    }
  }

  /** Adds a long line: a group, which has the trigrams of the whole line and no segment, and then its slices. */
  #group({ document, line }: Place, text: Uint8Array, { from, to }: DocumentPart): void {
    const group = this.#blockSpan.length;
    this.#begin();
    this.#kernel.beginSegment();
    for (let at = from; at < to; at += TEXT_BYTES) this.#append(text.subarray(at, Math.min(to, at + TEXT_BYTES)));
    this.#kernel.endSegment();
    if (this.#hasNames) this.#kernel.addToBlock(ANY_NAME);
    this.#end(0, 0);
    for (let at = from; at < to; at += BLOCK_BYTES) {
      const end = Math.min(to, at + BLOCK_BYTES);
      this.#begin();
      this.#segment(document, this.#contentBytes + at, line);
      this.#kernel.beginSegment();
      this.#append(text.subarray(at, Math.min(to, end + SLICE_OVERLAP)));
      this.#kernel.endSegment();
      this.#end(SLICE + group, this.#sum(end - at));
    }
    this.#blockSpan[group] = this.#segmentStart.length + (text[to - 1] === NEWLINE ? CLOSED : 0);
  }

  /** Adds text to the segment. */
  #append(text: Uint8Array): void {
    this.#place(text);
    if (this.#isIndexed) this.#kernel.appendTrigrams(TEXT_AT, TEXT_AT + text.length, FOLD_AT);
  }

  /** Copies text into the memory. `copy` is faster than `set`, which goes byte by byte into shared memory. */
  #place({ buffer, byteOffset, length }: Uint8Array, at = TEXT_AT): void {
    Buffer.from(buffer).copy(this.#u8, at, byteOffset, byteOffset + length);
  }

  #index(from: number, to: number): void {
    this.#kernel.beginSegment();
    if (this.#isIndexed) this.#kernel.appendTrigrams(from, to, FOLD_AT);
    this.#kernel.endSegment();
    if (this.#hasNames) this.#kernel.appendNames(from, to, NAMES_AT);
  }

  #segment(document: number, start: number, line: number): void {
    this.#segmentStart.push(start);
    this.#segmentDocument.push(document);
    this.#segmentLine.push(line);
  }

  #begin(): void {
    this.#blockSegment.push(this.#segmentStart.length);
    this.#kernel.beginBlock();
  }

  #end(span: number, sum: number): void {
    this.#kernel.endBlock(this.#blockSpan.length);
    this.#blockSpan.push(span);
    this.#blockSum.push(sum);
  }

  #close(): void {
    if (this.#open === 0) return;
    this.#end(this.#segmentStart.length, this.#sum(this.#open));
    this.#open = 0;
  }

  #postings(): Record<'postings' | 'lists', Uint8Array> & { trigrams: number } {
    const lists = new DictionaryWriter();
    const out = this.#kernel.beginLists() >>> 0;
    let [trigrams, size] = [0, 0];
    const entry = new Uint32Array(this.#memory.buffer, ENTRY_AT, 3);
    for (; this.#kernel.nextList(out + size, ENTRY_AT); trigrams++) {
      const [trigram = 0, count = 0, bytes = 0] = entry;
      lists.add(trigram, count, bytes);
      size += bytes;
    }
    return { trigrams, postings: new Uint8Array(this.#memory.buffer, out, size), lists: lists.toBytes() };
  }

  /** Checksum of the text of a block. */
  #sum(length: number): number {
    return crc32(this.#u8.subarray(TEXT_AT, TEXT_AT + length));
  }
}

const bytesOf = (values: readonly number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer);

/** Where text is copied to, up to TEXT_BYTES at a time. */
const TEXT_AT = 65_536;
const TEXT_BYTES = 65_536;
/** The pool of assembly/trigrams.ts: tables of fixed size, then logs that grow with the text. */
const POOL_AT = TEXT_AT + 2 * TEXT_BYTES;

/** Enough for the tables. Only touched pages take real memory. */
const INITIAL_PAGES = 192;
/** A larger memory, as for more than about 128 MB of text, is not reused. */
const MOST_SPARE = 192 << 20;

/** The memory of the last builder of this thread. It is reused, because unused memories are collected late. */
let spare: WebAssembly.Memory | undefined;

/** Memory for a builder, in which the seen bits are zero. */
function takeMemory(): WebAssembly.Memory {
  const memory = spare ?? new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: 65_536, shared: true });
  spare = undefined;
  return memory;
}

/** Keeps the memory for the next builder. */
function giveBack(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength <= MOST_SPARE) spare = memory;
}
