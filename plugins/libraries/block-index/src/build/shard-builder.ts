import { DamagedShardError, LimitError } from '../errors.ts';
import { readExactly } from '../format/content.ts';
import type { ReadContent } from '../format/content.ts';
import {
  assemble,
  BLOCK_BYTES,
  CHECKED_FROM,
  cut,
  hasKeys,
  HEADER_BYTES,
  readLayout,
  seal,
  SLICE_OVERLAP,
  SMALL_DOCUMENT,
} from '../format/format.ts';
import type { Piece, Table } from '../format/format.ts';
import { ByteList, U32List } from '../format/growing-lists.ts';
import { PackedLists } from '../format/trigram-dictionary.ts';
import { loadKernel } from '../kernel/kernel.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { FOLD } from '../postings/block-requirements.ts';

/** Flags of a block's span, as in assembly/blocks.ts. */
const SLICE = 0x8000_0000;
const CLOSED = 0x4000_0000;
const NEWLINE = 10;
/** Bytes before one that belong to the first pair of words that it ends, or the first shape. */
const BEFORE = 5;

/** Where text stands: its document, and the number of its line in it. */
interface Place {
  document: number;
  line: number;
}

/** The builder's kernel only counts and packs; nothing of a search is ever called. */
const unused = (): number => 0;

/** Addresses in the builder's own memory. */
const FOLD_AT = 1024;
const ENTRY_AT = 2048;
const SHAPES_AT = 2064;
/** Which pairs of words the block has that is being made, and then their bitmap. */
const PAIRS_AT = 4096;
const BITMAP_AT = 5120;
const MOST_CONTENT = 0xf000_0000;
/** Most bytes of a document: half a window of a search holds the blocks of one of this size, however it is cut. */
export const MOST_DOCUMENT = 32 << 20;

/**
 * Builds a shard from documents in the order of their numbers. The caller keeps their text: a shard's content is the documents
 * one after the other. Needs about two bytes of memory for each posting (half of the text); use a builder once. Without keys it takes
 * a tenth of the time, and every block of the shard is looked at in every search.
 */
export class ShardBuilder {
  readonly #memory = takeMemory();
  readonly #u8 = new Uint8Array(this.#memory.buffer);
  readonly #kernel: Kernel;
  readonly #documentSegment = new U32List();
  readonly #segmentStart = new U32List();
  readonly #segmentDocument = new U32List();
  readonly #segmentLine = new U32List();
  readonly #blockSegment = new U32List();
  readonly #blockSpan = new U32List();
  readonly #blockSum = new U32List();
  readonly #blockShapes = new U32List();
  readonly #blockPairs = new U32List();
  readonly #pairs = new ByteList();
  /** Of the block that is being made. */
  readonly #shapes = new Uint32Array(this.#memory.buffer, SHAPES_AT, 2);
  #contentBytes = 0;
  /** Bytes of the block that small documents are being packed into; 0: none is open. */
  #open = 0;
  readonly #withKeys: boolean;

  constructor({ withKeys = true }: { withKeys?: boolean } = {}) {
    this.#withKeys = withKeys;
    this.#kernel = loadKernel(this.#memory, { miss: unused, checkpoint: unused, room: unused });
    this.#u8.set(FOLD, FOLD_AT);
    this.#kernel.startPool(POOL_AT);
  }

  get contentBytes(): number {
    return this.#contentBytes;
  }

  /** Adds a document and returns its number. Throws LimitError for one over 32 MB, and when the content would exceed 3.75 GB. */
  add(text: Uint8Array): number {
    if (text.length > MOST_DOCUMENT)
      throw new LimitError(`a document has at most ${MOST_DOCUMENT} bytes, this one has ${text.length}`);
    if (this.#contentBytes + text.length > MOST_CONTENT) throw new LimitError('a shard holds at most 3.75 GB of text');
    const document = this.#documentSegment.length;
    this.#documentSegment.push(this.#segmentStart.length);
    if (text.length > 0 && text.length <= SMALL_DOCUMENT) this.#pack(document, text);
    else if (text.length > 0) this.#spread(document, text);
    this.#contentBytes += text.length;
    return document;
  }

  /** Ends the shard and returns its file. */
  finish(): Uint8Array {
    this.#close();
    this.#documentSegment.push(this.#segmentStart.length);
    this.#blockSegment.push(this.#segmentStart.length);
    const { keys, ...lists } = this.#lists();
    const counts = {
      documents: this.#documentSegment.length - 1,
      segments: this.#segmentStart.length,
      blocks: this.#blockSpan.length,
      keys,
      contentBytes: this.#contentBytes,
    };
    this.#segmentStart.push(this.#contentBytes);
    this.#blockPairs.push(this.#pairs.length);
    const file = assemble(counts, {
      documentSegment: this.#documentSegment.toBytes(),
      segmentStart: this.#segmentStart.toBytes(),
      segmentDocument: this.#segmentDocument.toBytes(),
      segmentLine: this.#segmentLine.toBytes(),
      blockSegment: this.#blockSegment.toBytes(),
      blockSpan: this.#blockSpan.toBytes(),
      blockSum: this.#blockSum.toBytes(),
      blockShapes: this.#blockShapes.toBytes(),
      blockPairs: this.#blockPairs.toBytes(),
      pairs: this.#pairs.toBytes(),
      ...lists,
    });
    seal(file, this.#sum(file.subarray(CHECKED_FROM)));
    giveBack(this.#memory);
    return file;
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
    for (const piece of cut(text)) {
      if (piece.isLongLine) {
        this.#group({ document, line: line++ }, text, piece);
        continue;
      }
      this.#begin();
      this.#place(text.subarray(piece.from, piece.to));
      this.#segment(document, this.#contentBytes + piece.from, line);
      this.#open = piece.to - piece.from;
      this.#index(TEXT_AT, TEXT_AT + this.#open);
      line += this.#kernel.countNewlines(TEXT_AT, TEXT_AT + this.#open);
      this.#close();
    }
  }

  /** A long line: a block with the keys of all of it and no segment of its own, then its slices. */
  #group({ document, line }: Place, text: Uint8Array, { from, to }: Piece): void {
    const group = this.#blockSpan.length;
    this.#begin();
    this.#kernel.beginSegment();
    for (let at = from; at < to; at += TEXT_BYTES) {
      const before = Math.min(at - from, BEFORE);
      this.#append(text.subarray(at - before, Math.min(to, at + TEXT_BYTES)), before);
    }
    this.#kernel.endSegment();
    this.#end(0, 0);
    for (let at = from; at < to; at += BLOCK_BYTES) {
      const end = Math.min(to, at + BLOCK_BYTES);
      this.#begin();
      this.#segment(document, this.#contentBytes + at, line);
      this.#kernel.beginSegment();
      this.#append(text.subarray(at, Math.min(to, end + SLICE_OVERLAP)));
      this.#kernel.endSegment();
      this.#end(SLICE + group, this.#kernel.xxh32(TEXT_AT, end - at, 0));
    }
    this.#blockSpan.set(group, this.#segmentStart.length + (text[to - 1] === NEWLINE ? CLOSED : 0));
  }

  /** Adds text to the segment, of which the first bytes belong to it already. */
  #append(text: Uint8Array, before = 0): void {
    this.#place(text);
    if (!this.#withKeys) return;
    this.#kernel.appendGrams(TEXT_AT + before, TEXT_AT + text.length, FOLD_AT);
    this.#note(TEXT_AT, TEXT_AT + text.length);
  }

  /** Of a part of a buffer `copy` takes a third of the time of `set`, which goes byte by byte into a memory that threads may share. */
  #place({ buffer, byteOffset, length }: Uint8Array, at = TEXT_AT): void {
    Buffer.from(buffer).copy(this.#u8, at, byteOffset, byteOffset + length);
  }

  #index(from: number, to: number): void {
    if (!this.#withKeys) return;
    this.#kernel.beginSegment();
    this.#kernel.appendGrams(from, to, FOLD_AT);
    this.#note(from, to);
    this.#kernel.endSegment();
  }

  /** What the block has besides keys. */
  #note(from: number, to: number): void {
    this.#kernel.addShapes(from, to, SHAPES_AT);
    this.#kernel.addPairs(from, to, PAIRS_AT);
  }

  #segment(document: number, start: number, line: number): void {
    this.#segmentStart.push(start);
    this.#segmentDocument.push(document);
    this.#segmentLine.push(line);
  }

  #begin(): void {
    this.#blockSegment.push(this.#segmentStart.length);
    this.#kernel.beginBlock();
    this.#shapes.fill(0);
  }

  #end(span: number, sum: number): void {
    this.#kernel.endBlock(this.#blockSpan.length);
    this.#blockSpan.push(span);
    this.#blockSum.push(sum);
    for (const half of this.#shapes) this.#blockShapes.push(half);
    this.#blockPairs.push(this.#pairs.length);
    const bytes = this.#kernel.takePairs(PAIRS_AT, BITMAP_AT);
    this.#pairs.add(this.#u8.subarray(BITMAP_AT, BITMAP_AT + bytes));
  }

  #close(): void {
    if (this.#open === 0) return;
    this.#end(this.#segmentStart.length, this.#kernel.xxh32(TEXT_AT, this.#open, 0));
    this.#open = 0;
  }

  #lists(): Record<'postings' | 'lists', Uint8Array> & { keys: number } {
    const lists = new PackedLists();
    const out = this.#kernel.beginLists() >>> 0;
    let [keys, size] = [0, 0];
    const entry = new Uint32Array(this.#memory.buffer, ENTRY_AT, 3);
    for (; this.#kernel.nextList(out + size, ENTRY_AT); keys++) {
      const [key = 0, count = 0, bytes = 0] = entry;
      lists.add(key, count, bytes);
      size += bytes;
    }
    return { keys, postings: new Uint8Array(this.#memory.buffer, out, size), lists: lists.toBytes() };
  }

  /** Checksum of bytes outside the builder's memory, whose postings are no longer needed. */
  #sum(bytes: Uint8Array): number {
    const at = TABLES_END;
    const missing = at + bytes.length + 64 - this.#memory.buffer.byteLength;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / 65_536));
    new Uint8Array(this.#memory.buffer).set(bytes, at);
    return this.#kernel.xxh32(at, bytes.length, 0) >>> 0;
  }
}

/** Where text is put, a piece at a time. */
const TEXT_AT = 65_536;
const TEXT_BYTES = 65_536;
/** The pool: tables, then what grows with the text. */
const POOL_AT = TEXT_AT + 2 * TEXT_BYTES;

/** The tables, as in assembly/grams.ts: groups of keys, places in one of them, which keys a block has had, and these. */
const MOST_KEYS = 1 << 21;
const TABLES_END = POOL_AT + 32_768 + MOST_KEYS / 8 + 4 * MOST_KEYS;

/** The tables: 9 MB, of which only touched pages are real. */
const INITIAL_PAGES = 192;
/** A memory that has grown beyond this, as it does for more than about 128 MB of text, is not kept. */
const MOST_SPARE = 192 << 20;

/** Of a builder of this thread that has finished: new memories stay until they are collected, which is long after many small shards. */
let spare: WebAssembly.Memory | undefined;

/** Memory for a builder; what blocks have had is zero. */
function takeMemory(): WebAssembly.Memory {
  const memory = spare ?? new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: 65_536, shared: true });
  spare = undefined;
  return memory;
}

/** Keeps the memory of a builder for the next one. */
function giveBack(memory: WebAssembly.Memory): void {
  if (memory.buffer.byteLength <= MOST_SPARE) spare = memory;
}

/** The file of a shard that was built without keys, with them, and itself where it has them: its documents, segments and blocks stay what they are. Throws DamagedShardError where the text does not. */
export function addKeys(file: Uint8Array, read: ReadContent): Uint8Array {
  const layout = readLayout(file.subarray(0, HEADER_BYTES), file.length);
  if (hasKeys(layout)) return file;
  const { offsets, documents } = layout;
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const word = (table: Table, i: number): number => view.getUint32(offsets[table] + 4 * i, true);
  const startOf = (document: number): number => word('segmentStart', word('documentSegment', document));
  const builder = new ShardBuilder();
  for (let document = 0; document < documents; document++) {
    const start = startOf(document);
    builder.add(readExactly(read, start, startOf(document + 1) - start));
  }
  const keyed = builder.finish();
  // All tables before that of shapes are the same, with the sums of the text in them.
  const [before, after] = [file, keyed].map((each) => each.subarray(HEADER_BYTES, offsets.blockShapes));
  if (!before || !after || Buffer.compare(before, after) !== 0)
    throw new DamagedShardError('the text of the shard is not what it was built of');
  return keyed;
}
