import { LimitError } from '../errors.ts';
import type { Arena } from '../kernel/arena.ts';
import type { Workspace } from '../workspace.ts';
import { checkBlock, readExactly } from './content.ts';
import type { Content, ReadContent, LongLineParts } from './content.ts';
import type { Shard } from './shard.ts';

/** Neighbouring blocks are read together up to this size. */
const READ_BYTES = 1 << 18;
/** Three slices, and the unused end of the ring, must fit many times. */
const LEAST_CACHE = 1 << 20;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Content that is read on demand, with a cache of blocks in memory. */
export class PositionalContent implements Content {
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #read: ReadContent;
  readonly #cache: BlockCache;
  readonly #cacheBytes: number;
  #placed: number[] = []; // addresses of long lines and documents, which are outside the cache and freed by the next call

  constructor(workspace: Workspace, shard: Shard, { read, cacheBytes }: { read: ReadContent; cacheBytes: number }) {
    if (cacheBytes < LEAST_CACHE)
      throw new LimitError(`a cache of blocks needs at least ${LEAST_CACHE} bytes, not ${cacheBytes}`);
    this.#workspace = workspace;
    this.#shard = shard;
    this.#read = read;
    this.#cache = new BlockCache(workspace.arena, cacheBytes);
    this.#cacheBytes = cacheBytes;
  }

  place(ids: number, count: number, wanted: LongLineParts): number {
    this.#drop();
    const blocks = this.#workspace.arena.words(ids, count);
    const bases = this.#workspace.arena.words(this.#workspace.bases, count);
    const most = this.#cache.stored + this.#cacheBytes / 4 - 2 * READ_BYTES;
    for (let k = 0; k < count; ) {
      if (k > 0 && (this.#cache.stored > most || this.#placed.length > 0)) return k;
      k = this.#placeFrom(blocks, bases, { k, wanted });
    }
    return count;
  }

  placeDocument(document: number): number {
    this.#drop();
    const { from, to } = this.#shard.documentBlocks(document);
    return this.#placeRange(
      { start: this.#shard.blockRange(from).start, end: this.#shard.blockRange(to - 1).end },
      from,
    );
  }

  bytes(start: number, end: number): { bytes: Buffer; base: number } {
    return { bytes: Buffer.from(this.text(start, end).buffer), base: -start };
  }

  text(start: number, end: number): Uint8Array {
    if (start >= end) return new Uint8Array();
    this.#drop();
    const first = this.#blockAt(start);
    const last = this.#blockAt(end - 1);
    const base = this.#placeRange(
      { start: this.#shard.blockRange(first).start, end: this.#shard.blockRange(last).end },
      first,
    );
    return this.#workspace.arena.u8.slice(base + start, base + end);
  }

  latin1(start: number, end: number): string {
    return this.bytes(start, end).bytes.toString('latin1');
  }

  release(): void {
    this.#drop();
    this.#cache.release();
  }

  /** Loads block k, and the blocks after it if it must be read. Returns the next k. */
  #placeFrom(blocks: Uint32Array, bases: Uint32Array, { k, wanted }: { k: number; wanted: LongLineParts }): number {
    const block = blocks[k] ?? 0;
    const isGroup = this.#shard.isGroup(block);
    const isSlice = this.#shard.groupOf(block) !== undefined;
    if (isGroup || isSlice) {
      if (isGroup !== (wanted === 'lines'))
        bases[k] = 0; // the other kind of search looks at it
      else bases[k] = isGroup ? this.#placeRange(this.#shard.blockRange(block), block) : this.#placeSlice(block);
      return k + 1;
    }
    const cached = this.#cache.find(block);
    if (cached === undefined) return this.#readFrom(blocks, bases, k);
    bases[k] = cached - this.#shard.blockRange(block).start;
    return k + 1;
  }

  /** Reads the ordinary block k and those that follow it both in the content and in the batch. Returns the next k. */
  #readFrom(blocks: Uint32Array, bases: Uint32Array, k: number): number {
    const { start } = this.#shard.blockRange(blocks[k] ?? 0);
    let next = k;
    let end = start;
    while (next < blocks.length && end - start < READ_BYTES) {
      const block = blocks[next] ?? 0;
      const range = this.#shard.blockRange(block);
      if (range.start !== end || this.#shard.isGroup(block) || this.#shard.groupOf(block) !== undefined) break;
      end = range.end;
      next++;
    }
    const bytes = readExactly(this.#read, start, end - start);
    for (let i = k; i < next; i++) {
      const block = blocks[i] ?? 0;
      const range = this.#shard.blockRange(block);
      const at = this.#cache.store(block, bytes.subarray(range.start - start, range.end - start));
      this.#check({ block, at, length: range.end - range.start });
      bases[i] = at - range.start;
    }
    return next;
  }

  /** Loads a slice with its neighbours: matches end in the next slice, and word boundaries are looked up in both. */
  #placeSlice(block: number): number {
    const group = this.#shard.groupOf(block);
    const first = this.#shard.groupOf(block - 1) === group ? block - 1 : block;
    const hasNext = block + 1 < this.#shard.blocks && this.#shard.groupOf(block + 1) === group;
    const { start } = this.#shard.blockRange(first);
    const { end } = this.#shard.blockRange(hasNext ? block + 1 : block);
    const cached = this.#cache.find(block);
    if (cached !== undefined) return cached - start;
    const at = this.#cache.store(block, readExactly(this.#read, start, end - start));
    this.#checkBlocks({ start, end }, first, at);
    return at - start;
  }

  #placeRange({ start, end }: Range, firstBlock: number): number {
    const at = this.#workspace.arena.allocate(end - start);
    this.#placed.push(at);
    this.#workspace.arena.u8.set(readExactly(this.#read, start, end - start), at);
    this.#checkBlocks({ start, end }, firstBlock, at);
    return at - start;
  }

  /** Checks the blocks from this one on whose text is in the range, which is loaded at an address. */
  #checkBlocks(range: Range, firstBlock: number, address: number): void {
    for (let block = firstBlock; block < this.#shard.blocks; block++) {
      const { start, end } = this.#shard.blockRange(block);
      if (start >= range.end) return;
      if (!this.#shard.isGroup(block)) this.#check({ block, at: address + start - range.start, length: end - start });
    }
  }

  #check(text: { block: number; at: number; length: number }): void {
    try {
      checkBlock(this.#workspace, this.#shard, text);
    } catch (error) {
      this.#cache.clear(); // other blocks may be damaged, too
      throw error;
    }
  }

  /** The ordinary block or slice with a content offset. */
  #blockAt(offset: number): number {
    let low = 0;
    for (let high = this.#shard.blocks; low + 1 < high; ) {
      const middle = (low + high) >>> 1;
      if (this.#shard.blockRange(middle).start <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  #drop(): void {
    for (const address of this.#placed) this.#workspace.arena.release(address);
    this.#placed = [];
  }
}

/**
 * Entries in this newest share of the ring are not moved to the front. The rest is for the quarter that a batch may store, and for the
 * unused end of the ring.
 */
const YOUNG = 5 / 8;

interface Entry {
  readonly key: number;
  readonly address: number;
  readonly end: number;
  /** Bytes that had been stored before it, which gives its age. */
  readonly storedAt: number;
}

/**
 * A cache of the texts of blocks in a ring buffer: a new text overwrites the oldest. A text that is found in the older part of the ring
 * moves to the front, so it stays while it is used. A text that was found or stored is safe until a quarter of the ring was stored after it.
 */
class BlockCache {
  readonly #arena: Arena;
  readonly #start: number;
  readonly #bytes: number;
  readonly #entries = new Map<number, Entry>();
  #order: Entry[] = [];
  #oldest = 0;
  #head = 0;
  #stored = 0;

  constructor(arena: Arena, bytes: number) {
    this.#arena = arena;
    this.#start = arena.allocate(bytes);
    this.#bytes = bytes;
  }

  /** Bytes stored so far. A batch may store a quarter of the ring before it overwrites its own texts. */
  get stored(): number {
    return this.#stored;
  }

  /** Address of a block's text, if it is cached. */
  find(key: number): number | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (this.#stored - entry.storedAt < this.#bytes * YOUNG) return entry.address;
    return this.store(key, this.#arena.u8.subarray(entry.address, entry.end));
  }

  store(key: number, text: Uint8Array): number {
    if (this.#head + text.length > this.#bytes) {
      this.#evict(this.#start + this.#head, this.#start + this.#bytes);
      this.#stored += this.#bytes - this.#head;
      this.#head = 0;
    }
    const address = this.#start + this.#head;
    const end = address + text.length;
    this.#evict(address, end);
    this.#arena.u8.set(text, address);
    const entry = { key, address, end, storedAt: this.#stored };
    this.#entries.set(key, entry);
    this.#order.push(entry);
    this.#head += text.length;
    this.#stored += text.length;
    return address;
  }

  clear(): void {
    this.#entries.clear();
  }

  release(): void {
    this.#arena.release(this.#start);
    this.#entries.clear();
  }

  /** Removes the oldest entries that overlap [from, to). */
  #evict(from: number, to: number): void {
    for (
      let entry = this.#order[this.#oldest];
      entry && entry.address < to && entry.end > from;
      entry = this.#order[this.#oldest]
    ) {
      if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
      this.#oldest++;
    }
    if (this.#oldest > 4096 && this.#oldest * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#oldest);
      this.#oldest = 0;
    }
  }
}
