import { crc32 } from 'node:zlib';
import { DamagedShardError } from '../errors.ts';
import type { Workspace } from '../workspace.ts';
import { memorySource, withFile } from './byte-source.ts';
import type { ByteSource } from './byte-source.ts';
import { CHECKED_FROM, CLOSED, HEADER_BYTES, readLayout, SLICE, TABLES, tableWords } from './format.ts';
import type { Counts, Layout, Table } from './format.ts';
import { trigramsBefore, entryAt, dictionaryIn, dictionaryWords, readDictionary } from './trigram-dictionary.ts';
import type { TrigramDictionary } from './trigram-dictionary.ts';

/**
 * The record that the kernel reads stands before the file: the addresses of these tables.
 */
const TABLES_BYTES = 32;
const KERNEL_TABLES = [
  'segmentStart',
  'segmentDocument',
  'segmentLine',
  'documentSegment',
  'blockSegment',
  'blockSpan',
] as const;

/** A posting list in memory: its address and number of ids. */
export interface List {
  readonly at: number;
  readonly count: number;
}

/** Where a loaded shard is in the shared memory, for another thread. */
export interface ShardHandle {
  readonly address: number;
  readonly bytes: number;
}

/** The file of a shard. */
export interface ShardSource {
  readonly bytes: number;
  readonly read: ByteSource;
}

type Tables = Readonly<Record<Table, Uint32Array>>;

/** A shard whose file is in the workspace's memory. See format.ts for its tables. */
export class Shard implements Counts {
  readonly documents: number;
  readonly segments: number;
  readonly blocks: number;
  readonly trigrams: number;
  readonly contentBytes: number;
  readonly handle: ShardHandle;
  readonly tables: Tables;
  readonly dictionary: TrigramDictionary;
  readonly #postings: number;
  /** First block of each document, and the block after its last one. Computed once, because every visited document needs them. */
  readonly #documentBlocks: Uint32Array;

  private constructor({ arena }: Workspace, handle: ShardHandle) {
    const file = handle.address + TABLES_BYTES;
    const layout = readLayout(arena.u8.subarray(file, file + HEADER_BYTES), handle.bytes);
    ({
      documents: this.documents,
      segments: this.segments,
      blocks: this.blocks,
      trigrams: this.trigrams,
      contentBytes: this.contentBytes,
    } = layout);
    this.handle = handle;
    const tables = TABLES.map((table) => [table, arena.words(file + layout.offsets[table], tableWords[table](layout))]);
    this.tables = Object.fromEntries(tables) as Tables; // fromEntries loses the types of the keys
    this.dictionary = dictionaryIn(arena.words(dictionaryAt(handle), dictionaryWords(this.trigrams)), this.trigrams);
    this.#postings = file + layout.offsets.postings;
    this.#documentBlocks = arena.words(documentBlocksAt(handle, this.trigrams), 2 * this.documents);
    const record = KERNEL_TABLES.map((section) => file + layout.offsets[section]);
    arena.words(handle.address, record.length).set(record);
  }

  /** Copies the file of a shard into memory and checks it. Throws DamagedShardError, and LimitError when there is no room. */
  static load(workspace: Workspace, file: Uint8Array): Shard {
    return Shard.read(workspace, { bytes: file.length, read: memorySource(file) });
  }

  /** `load` for a file that is read directly into the memory. */
  static read(workspace: Workspace, { bytes, read }: ShardSource): Shard {
    if (bytes < HEADER_BYTES) throw new DamagedShardError(`the shard has ${bytes} bytes, less than its header`);
    const header = new Uint8Array(HEADER_BYTES);
    read(header, 0);
    const layout = readLayout(header, bytes);
    const { arena } = workspace;
    const address = arena.allocate(memoryOf({ ...layout, bytes }));
    try {
      const file = address + TABLES_BYTES;
      read(arena.u8.subarray(file, file + bytes), 0);
      const checked = arena.u8.subarray(file + CHECKED_FROM, file + bytes);
      if (crc32(checked) !== layout.checksum) throw new DamagedShardError('the checksum of the shard is wrong');
      const shard = new Shard(workspace, { address, bytes });
      const { lists, postings } = layout.offsets;
      const packed = arena.u8.subarray(file + lists, file + bytes);
      readDictionary(packed, shard.dictionary, { ids: layout.blocks, bytes: lists - postings });
      shard.#checkTables(layout);
      shard.#findDocumentBlocks();
      return shard;
    } catch (error) {
      arena.release(address);
      throw error;
    }
  }

  /** `load` for a file on the disk. Throws the error of the file system, too. */
  static readFile(workspace: Workspace, path: string): Shard {
    return withFile(path, (bytes, read) => Shard.read(workspace, { bytes, read }));
  }

  /** A shard that another thread loaded into the same memory. */
  static attach(workspace: Workspace, handle: ShardHandle): Shard {
    return new Shard(workspace, handle);
  }

  /** Frees the memory. Only for the thread that loaded the shard, after all use. */
  release(workspace: Workspace): void {
    workspace.arena.release(this.handle.address);
  }

  /** Bytes of memory that the shard takes: its file, the dictionary and the blocks of documents. */
  get memoryBytes(): number {
    return memoryOf({ bytes: this.handle.bytes, trigrams: this.trigrams, documents: this.documents });
  }

  /** The posting list of a trigram, if any block has it. */
  list(trigram: number): List | undefined {
    const list = entryAt(this.dictionary, trigramsBefore(this.dictionary, trigram));
    return list?.trigram === trigram ? this.#placed(list) : undefined;
  }

  /** The posting lists of the trigrams in [from, to). */
  lists(from: number, to: number): List[] {
    const lists: List[] = [];
    for (
      let i = trigramsBefore(this.dictionary, from), list = entryAt(this.dictionary, i);
      list && list.trigram < to;
    ) {
      lists.push(this.#placed(list));
      list = entryAt(this.dictionary, ++i);
    }
    return lists;
  }

  /** The content offsets of a document. */
  documentRange(document: number): { start: number; end: number } {
    const segment = this.#word('documentSegment', document);
    return {
      start: this.#word('segmentStart', segment),
      end: this.#word('segmentStart', this.#word('documentSegment', document + 1)),
    };
  }

  /** Whether the block is the group of a long line. */
  isGroup(block: number): boolean {
    return block < this.blocks && this.tables.blockSegment[block] === this.tables.blockSegment[block + 1];
  }

  /** The group of a slice; undefined for other blocks. */
  groupOf(block: number): number | undefined {
    const span = this.#word('blockSpan', block);
    return span >= SLICE ? span - SLICE : undefined;
  }

  /** The content offsets of a block's text. The text of a group is that of its slices. */
  blockRange(block: number): { start: number; end: number } {
    const end = this.isGroup(block) ? this.#word('blockSpan', block) & ~CLOSED : this.#word('blockSegment', block + 1);
    return {
      start: this.#word('segmentStart', this.#word('blockSegment', block)),
      end: this.#word('segmentStart', end),
    };
  }

  /** The blocks [from, to) with a document's text, including its groups. Empty for an empty document. */
  documentBlocks(document: number): { from: number; to: number } {
    return { from: this.#documentBlocks[2 * document] ?? 0, to: this.#documentBlocks[2 * document + 1] ?? 0 };
  }

  #findDocumentBlocks(): void {
    const { documentSegment, blockSegment } = this.tables;
    let block = 0;
    /** The block of a segment. Segments must be passed in ascending order. */
    const blockOf = (segment: number): number => {
      while (block + 1 < this.blocks && (blockSegment[block + 1] ?? 0) <= segment) block++;
      return block;
    };
    for (let document = 0; document < this.documents; document++) {
      const first = documentSegment[document] ?? 0;
      const end = documentSegment[document + 1] ?? 0;
      const isEmpty = first === end;
      const from = isEmpty ? 0 : blockOf(first);
      this.#documentBlocks[2 * document] = from > 0 && this.isGroup(from - 1) ? from - 1 : from;
      this.#documentBlocks[2 * document + 1] = isEmpty ? 0 : blockOf(end - 1) + 1;
    }
  }

  /** The first block from this one on that begins with a new document. */
  documentBorder(block: number): number {
    for (let at = block; at < this.blocks; at++) {
      const segment = this.#word('blockSegment', at);
      const isInside =
        at > 0 &&
        (this.isGroup(at - 1) || this.tables.segmentDocument[segment] === this.tables.segmentDocument[segment - 1]);
      if (!isInside) return at;
    }
    return this.blocks;
  }

  #placed({ start, count }: { start: number; count: number }): List {
    return { at: this.#postings + start, count };
  }

  #word(section: keyof Tables, i: number): number {
    return this.tables[section][i] ?? 0;
  }

  /** The checksum finds accidents. This check keeps a wrongly written file from leading a search outside its tables. */
  #checkTables({ contentBytes }: Layout): void {
    const { tables, segments, blocks, documents } = this;
    const isSound =
      ascendsTo(tables.documentSegment, segments) &&
      ascendsTo(tables.blockSegment, segments) &&
      ascendsTo(tables.segmentStart, contentBytes) &&
      areAll(tables.segmentDocument, (document) => document < documents) &&
      areAll(tables.blockSpan, (span) => (span >= SLICE ? span - SLICE < blocks : (span & ~CLOSED) <= segments));
    if (!isSound) throw new DamagedShardError('the tables of the shard contradict each other');
  }
}

/** In memory: the kernel's record, the file, the dictionary, the blocks of documents. */
const memoryOf = ({ bytes, trigrams, documents }: { bytes: number; trigrams: number; documents: number }): number =>
  documentBlocksAt({ address: 0, bytes }, trigrams) + 8 * documents;

const dictionaryAt = ({ address, bytes }: ShardHandle): number => Math.ceil((address + TABLES_BYTES + bytes) / 16) * 16;

const documentBlocksAt = (handle: ShardHandle, trigrams: number): number =>
  dictionaryAt(handle) + 4 * dictionaryWords(trigrams);

const ascendsTo = (values: Uint32Array, last: number): boolean => ascends(values) && (values.at(-1) ?? 0) === last;

/** A loop, because `every` of a typed array is much slower. */
function areAll(values: Uint32Array, isRight: (value: number) => boolean): boolean {
  for (const value of values) if (!isRight(value)) return false;
  return true;
}

/** Whether no number is less than the one before it. */
function ascends(values: Uint32Array): boolean {
  let previous = 0;
  for (const value of values) {
    if (value < previous) return false;
    previous = value;
  }
  return true;
}
