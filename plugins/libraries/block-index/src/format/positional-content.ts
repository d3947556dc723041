import type { Workspace } from '../workspace.ts';
import type { ByteSource } from './byte-source.ts';
import { checkBlocks } from './content.ts';
import type { Content, LongLineParts } from './content.ts';
import type { Shard } from './shard.ts';

/** Neighbouring blocks are read together up to this size. */
const READ_BYTES = 1 << 18;
/** One call loads about so much. */
const BATCH_BYTES = 1 << 20;

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Content that is read on demand. What a call has loaded is freed by the next one: the system caches files well enough. */
export class PositionalContent implements Content {
  readonly #workspace: Workspace;
  readonly #shard: Shard;
  readonly #read: ByteSource;
  /** Addresses of what the last call has loaded. */
  #placed: number[] = [];

  constructor(workspace: Workspace, shard: Shard, read: ByteSource) {
    this.#workspace = workspace;
    this.#shard = shard;
    this.#read = read;
  }

  place(ids: number, count: number, wanted: LongLineParts): number {
    this.forget();
    const blocks = this.#workspace.arena.words(ids, count);
    const bases = this.#workspace.arena.words(this.#workspace.bases, count);
    let k = 0;
    for (let bytes = 0; k < count && bytes < BATCH_BYTES; ) {
      const { first, range, next } = this.#rangeFrom(blocks, k, wanted);
      // The other kind of search looks at an empty range.
      bases.fill(range.end > range.start ? this.#placeRange(range, first) : 0, k, next);
      bytes += range.end - range.start;
      k = next;
    }
    return k;
  }

  placeDocument(document: number): number {
    this.forget();
    const { from, to } = this.#shard.documentBlocks(document);
    return this.#placeBlocks(from, to - 1);
  }

  bytes(start: number, end: number): Buffer {
    if (start >= end) return Buffer.alloc(0);
    this.forget();
    const base = this.#placeBlocks(this.#blockAt(start), this.#blockAt(end - 1));
    return this.#workspace.arena.buffer.subarray(base + start, base + end);
  }

  forget(): void {
    for (const address of this.#placed) this.#workspace.arena.release(address);
    this.#placed = [];
  }

  /** What to load for block k of a batch: its first block, and the next k. */
  #rangeFrom(blocks: Uint32Array, k: number, wanted: LongLineParts): { first: number; range: Range; next: number } {
    const [shard, block, next] = [this.#shard, blocks[k] ?? 0, k + 1];
    const isGroup = shard.isGroup(block);
    if (!isGroup && shard.groupOf(block) === undefined) return this.#neighboursFrom(blocks, k);
    if (isGroup !== (wanted === 'lines')) return { first: block, range: { start: 0, end: 0 }, next };
    if (isGroup) return { first: block, range: shard.blockRange(block), next };
    // Matches end in the next slice, and word boundaries are looked up in both.
    const isSlice = (other: number): boolean => other < shard.blocks && shard.groupOf(other) === shard.groupOf(block);
    const [first, last] = [isSlice(block - 1) ? block - 1 : block, isSlice(block + 1) ? block + 1 : block];
    return { first, range: { start: shard.blockRange(first).start, end: shard.blockRange(last).end }, next };
  }

  /** The ordinary block k and those that follow it both in the content and in the batch. */
  #neighboursFrom(blocks: Uint32Array, k: number): { first: number; range: Range; next: number } {
    const first = blocks[k] ?? 0;
    const { start } = this.#shard.blockRange(first);
    let [next, end] = [k, start];
    for (; next < blocks.length && end - start < READ_BYTES; next++) {
      const block = blocks[next] ?? 0;
      const range = this.#shard.blockRange(block);
      if (range.start !== end || this.#shard.isGroup(block) || this.#shard.groupOf(block) !== undefined) break;
      end = range.end;
    }
    return { first, range: { start, end }, next };
  }

  #placeBlocks(first: number, last: number): number {
    const range = { start: this.#shard.blockRange(first).start, end: this.#shard.blockRange(last).end };
    return this.#placeRange(range, first);
  }

  /** Loads a range that begins with a block, and checks it. Returns its base. */
  #placeRange({ start, end }: Range, firstBlock: number): number {
    const at = this.#workspace.arena.allocate(end - start);
    this.#placed.push(at);
    this.#read(this.#workspace.arena.u8.subarray(at, at + end - start), start);
    checkBlocks(this.#workspace, this.#shard, { block: firstBlock, base: at - start, end });
    return at - start;
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
}
