import { DamagedShardError } from '../errors.ts';
import { ascends } from '../postings/sorted-lists.ts';
import type { Workspace } from '../workspace.ts';
import { CHECKED_FROM, hasKeys, HEADER_BYTES, readLayout, TABLES, wordsIn } from './format.ts';
import type { Counts, Layout, Table } from './format.ts';
import { keysBefore, listOf, listTableIn, listTableWords, unpackLists } from './trigram-dictionary.ts';
import type { ListTable } from './trigram-dictionary.ts';

/** Flags of a block's span, as in assembly/blocks.ts. */
const SLICE = 0x8000_0000;
const CLOSED = 0x4000_0000;
/** The kernel's record of table addresses stands before the file: the sections, and then the lists, their groups, the last bits of keys in these, and the postings. */
const TABLES_BYTES = 64;
const KERNEL_TABLES = [
  'segmentStart',
  'segmentDocument',
  'segmentLine',
  'documentSegment',
  'blockSegment',
  'blockSpan',
  'blockShapes',
  'blockPairs',
  'pairs',
] as const;

/** A posting list in memory. */
export interface List {
  readonly at: number;
  readonly count: number;
}

/** Where a loaded shard is, for another thread. */
export interface ShardHandle {
  readonly address: number;
  readonly bytes: number;
}

/** Where the file of a shard is read from. */
export interface ShardSource {
  readonly bytes: number;
  /** Fills in the bytes from an offset on. */
  readonly read: (into: Uint8Array, offset: number) => void;
}

type Tables = Readonly<Record<Table, Uint32Array>>;

/** Read access to a shard whose file lies in the workspace's memory. */
export class Shard implements Counts {
  readonly documents: number;
  readonly segments: number;
  readonly blocks: number;
  readonly keys: number;
  readonly contentBytes: number;
  /** Of its file. */
  readonly checksum: number;
  readonly handle: ShardHandle;
  readonly tables: Tables;
  readonly listTable: ListTable;
  readonly #postings: number;
  /** The first block of each document and the one after its last: they are asked for of every document that is looked at. */
  readonly #documentBlocks: Uint32Array;

  private constructor({ arena }: Workspace, handle: ShardHandle) {
    const file = handle.address + TABLES_BYTES;
    const layout = readLayout(arena.u8.subarray(file, file + HEADER_BYTES), handle.bytes);
    ({
      documents: this.documents,
      segments: this.segments,
      blocks: this.blocks,
      keys: this.keys,
      contentBytes: this.contentBytes,
      checksum: this.checksum,
    } = layout);
    this.handle = handle;
    const tables = TABLES.map((table) => [table, arena.words(file + layout.offsets[table], wordsIn(table, layout))]);
    this.tables = Object.fromEntries(tables) as Tables; // fromEntries forgets the keys
    this.listTable = listTableIn(arena.words(listsAt(handle), listTableWords(this.keys)), this.keys);
    this.#postings = file + layout.offsets.postings;
    this.#documentBlocks = arena.words(documentBlocksAt(handle, this.keys), 2 * this.documents);
    const { lists, groups, lastBits } = this.listTable;
    const sections = KERNEL_TABLES.map((section) => file + layout.offsets[section]);
    const record = [...sections, lists.byteOffset, groups.byteOffset, lastBits, this.#postings];
    arena.words(handle.address, record.length).set(record);
  }

  /** Copies a shard's file into memory and checks it. Throws DamagedShardError, or LimitError when there is no room. */
  static load(workspace: Workspace, file: Uint8Array): Shard {
    return Shard.read(workspace, {
      bytes: file.length,
      read: (into, offset) => into.set(file.subarray(offset, offset + into.length)),
    });
  }

  /** The same without a copy. */
  static read(workspace: Workspace, { bytes, read }: ShardSource): Shard {
    if (bytes < HEADER_BYTES) throw new DamagedShardError(`the shard has ${bytes} bytes, less than its header`);
    const header = new Uint8Array(HEADER_BYTES);
    read(header, 0);
    const layout = readLayout(header, bytes);
    const { arena, kernel } = workspace;
    const address = arena.allocate(memoryOf({ ...layout, bytes }));
    try {
      const file = address + TABLES_BYTES;
      read(arena.u8.subarray(file, file + bytes), 0);
      const sum = kernel.xxh32(file + CHECKED_FROM, bytes - CHECKED_FROM, 0) >>> 0;
      if (sum !== layout.checksum) throw new DamagedShardError('the checksum of the shard is wrong');
      const shard = new Shard(workspace, { address, bytes });
      const { lists, postings } = layout.offsets;
      const packed = arena.u8.subarray(file + lists, file + bytes);
      unpackLists(packed, shard.listTable, { ids: layout.blocks, bytes: lists - postings });
      shard.#checkTables(layout);
      shard.#findDocumentBlocks();
      return shard;
    } catch (error) {
      arena.release(address);
      throw error;
    }
  }

  /** A shard that another thread has loaded into the same memory. */
  static attach(workspace: Workspace, handle: ShardHandle): Shard {
    return new Shard(workspace, handle);
  }

  /** Gives the memory back; only where it was loaded, and after all use. */
  release(workspace: Workspace): void {
    workspace.arena.release(this.handle.address);
  }

  /** Bytes of memory that it takes: its file, and what is unpacked of it. */
  get memoryBytes(): number {
    return memoryOf({ bytes: this.handle.bytes, keys: this.keys, documents: this.documents });
  }

  /** See `hasKeys` of the format. */
  get hasKeys(): boolean {
    return hasKeys(this);
  }

  /** The list of a key, if any block has it. */
  list(key: number): List | undefined {
    const list = listOf(this.listTable, keysBefore(this.listTable, key));
    return list?.key === key ? this.#placed(list) : undefined;
  }

  /** The lists of the keys in [from, to). */
  lists(from: number, to: number): List[] {
    const lists: List[] = [];
    for (let i = keysBefore(this.listTable, from), list = listOf(this.listTable, i); list && list.key < to; ) {
      lists.push(this.#placed(list));
      list = listOf(this.listTable, ++i);
    }
    return lists;
  }

  /** Content offsets of a document. */
  documentRange(document: number): { start: number; end: number } {
    const segment = this.#word('documentSegment', document);
    return {
      start: this.#word('segmentStart', segment),
      end: this.#word('segmentStart', this.#word('documentSegment', document + 1)),
    };
  }

  isGroup(block: number): boolean {
    return block < this.blocks && this.tables.blockSegment[block] === this.tables.blockSegment[block + 1];
  }

  /** The group of a slice. */
  groupOf(block: number): number | undefined {
    const span = this.#word('blockSpan', block);
    return span >= SLICE ? span - SLICE : undefined;
  }

  /** Content offsets of a block's text; a group's text is that of its slices. */
  blockRange(block: number): { start: number; end: number } {
    const end = this.isGroup(block) ? this.#word('blockSpan', block) & ~CLOSED : this.#word('blockSegment', block + 1);
    return {
      start: this.#word('segmentStart', this.#word('blockSegment', block)),
      end: this.#word('segmentStart', end),
    };
  }

  /** The blocks [from, to) that hold a document's text, with its groups; empty for an empty document. */
  documentBlocks(document: number): { from: number; to: number } {
    return { from: this.#documentBlocks[2 * document] ?? 0, to: this.#documentBlocks[2 * document + 1] ?? 0 };
  }

  #findDocumentBlocks(): void {
    const { documentSegment, blockSegment } = this.tables;
    let block = 0;
    /** The last block whose first segment is at or before this one, which is at or after the one before. */
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

  /** The first block at or after this one with which a new document begins. */
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

  /** The checksum finds accidents; this keeps a file that was written wrong from leading a search out of its tables. */
  #checkTables({ contentBytes, offsets }: Layout): void {
    const { tables, segments, blocks, documents } = this;
    const isSound =
      ascendsTo(tables.documentSegment, segments) &&
      ascendsTo(tables.blockSegment, segments) &&
      ascendsTo(tables.segmentStart, contentBytes) &&
      ascends(tables.blockPairs) &&
      this.#word('blockPairs', blocks) <= offsets.postings - offsets.pairs &&
      areAll(tables.segmentDocument, (document) => document < documents) &&
      areAll(tables.blockSpan, (span) => (span >= SLICE ? span - SLICE < blocks : (span & ~CLOSED) <= segments));
    if (!isSound) throw new DamagedShardError('the tables of the shard contradict each other');
  }
}

/** The table of lists stands behind the file. */
const memoryOf = ({ bytes, keys, documents }: { bytes: number; keys: number; documents: number }): number =>
  documentBlocksAt({ address: 0, bytes }, keys) + 8 * documents;

const listsAt = ({ address, bytes }: ShardHandle): number => Math.ceil((address + TABLES_BYTES + bytes) / 16) * 16;

/** Behind it stand the blocks of documents. */
const documentBlocksAt = (handle: ShardHandle, keys: number): number => listsAt(handle) + 4 * listTableWords(keys);

const ascendsTo = (values: Uint32Array, last: number): boolean => ascends(values) && (values.at(-1) ?? 0) === last;

/** `every` of a typed array takes several times as long. */
function areAll(values: Uint32Array, isRight: (value: number) => boolean): boolean {
  for (const value of values) if (!isRight(value)) return false;
  return true;
}
