import { LimitError } from '../errors.ts';
import type { Arena } from '../kernel/arena.ts';
import type { Workspace } from '../workspace.ts';
import { checkBlock, readExactly } from './content.ts';
import type { Content, ReadContent, Wanted } from './content.ts';
import type { Shard } from './shard.ts';

/** Neighbouring blocks are read together up to this size. */
const READ_BYTES = 1 << 18;
/** Three slices and some waste at the ring's end must fit many times. */
const LEAST_CACHE = 1 << 20;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Content that is read when it is needed, with a cache of blocks in memory. */
export class PositionalContent implements Content {
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #read: ReadContent;
  readonly #cache: BlockCache;
  readonly #cacheBytes: number;
  #placed: number[] = []; // long lines and documents: outside the cache, until the next call

  constructor(workspace: Workspace, shard: Shard, { read, cacheBytes }: { read: ReadContent; cacheBytes: number }) {
    if (cacheBytes < LEAST_CACHE)
      throw new LimitError(`a cache of blocks needs at least ${LEAST_CACHE} bytes, not ${cacheBytes}`);
    this.#workspace = workspace;
    this.#shard = shard;
    this.#read = read;
    this.#cache = new BlockCache(workspace.arena, cacheBytes);
    this.#cacheBytes = cacheBytes;
  }

  place(ids: number, count: number, wanted: Wanted): number {
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

  /** Places block k, and its neighbours when they must be read; returns the next k. */
  #placeFrom(blocks: Uint32Array, bases: Uint32Array, { k, wanted }: { k: number; wanted: Wanted }): number {
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

  /** Reads the ordinary block k and the ones that follow it in the content and in the batch. */
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

  /** A slice with its neighbours in the group: hits end in the next one, and the borders of words are looked for in both. */
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

  /** Checks the blocks from this one on whose text lies in the range, which is at an address. */
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
      this.#cache.clear(); // what is stored may be as wrong
      throw error;
    }
  }

  /** The ordinary block or slice that holds a content offset. */
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

/** What was stored so much of the ring ago is not moved; with the quarter that a batch may store something is left for waste at the end. */
const YOUNG = 5 / 8;

interface Entry {
  readonly key: number;
  readonly address: number;
  readonly end: number;
  /** Bytes that had been stored before it: its age. */
  readonly storedAt: number;
}

/**
 * The texts of blocks in a ring of memory: a new one takes the place of the oldest. What is found in the older part moves to
 * the front, so that what is in use stays, and what was found or stored is not overwritten before a quarter of the ring follows.
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

  /** Bytes stored so far: at most a quarter of the ring may follow before what a batch uses is overwritten. */
  get stored(): number {
    return this.#stored;
  }

  /** Address of a block's text. */
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

  /** Forgets the oldest entries as long as they lie in [from, to). */
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
