import { crc32 } from 'node:zlib';
import { DamagedShardError, LimitError } from '../errors.ts';
import type { Workspace } from '../workspace.ts';
import type { ByteSource } from './byte-source.ts';
import type { Shard } from './shard.ts';

/** What a search reads of a long line: literals its slices, regular expressions its group (the whole line). */
export type LongLineParts = 'literals' | 'lines';

/** The text of a shard's blocks in the memory of the kernel. All text is checked against the shard's checksums. */
export interface Content {
  /** Loads the text of up to `count` blocks and sets their bases. Returns how many blocks it loaded, at least one. */
  place(ids: number, count: number, wanted: LongLineParts): number;
  /** Loads a whole document and returns its base. What was loaded before is no longer valid. */
  placeDocument(document: number): number;
  /** The bytes [start, end) of the content. Valid until the next call. */
  bytes(start: number, end: number): Buffer;
  /** Frees what the last call has loaded. */
  forget(): void;
}

const READ_BYTES = 1 << 20;

/**
 * Compares the text of the blocks from this one on that end before a content offset with their checksums. `base` is what to add to an offset to get
 * its address. Returns the first block that ends later. Throws DamagedShardError.
 */
export function checkBlocks(
  { arena }: Workspace,
  shard: Shard,
  { block: first, base, end: known }: { block: number; base: number; end: number },
): number {
  for (let block = first; block < shard.blocks; block++) {
    if (shard.isGroup(block)) continue;
    const { start, end } = shard.blockRange(block);
    if (end > known) return block;
    if (crc32(arena.u8.subarray(base + start, base + end)) !== shard.tables.blockSum[block])
      throw new DamagedShardError(`the checksum of block ${block} of the content is wrong`);
  }
  return shard.blocks;
}

/** The whole content in memory. */
export class ResidentContent implements Content {
  readonly address: number;
  readonly #workspace: Workspace;

  /** Content that was loaded into the same memory, perhaps by another thread. */
  constructor(workspace: Workspace, address: number) {
    this.#workspace = workspace;
    this.address = address;
  }

  /** Reads the content into memory and checks it. Throws DamagedShardError, and LimitError when there is no room. */
  static load(workspace: Workspace, shard: Shard, read: ByteSource): ResidentContent {
    const steps = ResidentContent.loadInSteps(workspace, shard, read);
    for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return next.value;
  }

  /** `load` in steps of a few milliseconds. Ending the generator early frees the memory. */
  static *loadInSteps(workspace: Workspace, shard: Shard, read: ByteSource): Generator<void, ResidentContent> {
    const address = workspace.arena.allocate(shard.contentBytes);
    let isLoaded = false;
    try {
      if (address + shard.contentBytes >= 2 ** 32) throw new LimitError('the memory of the index holds less than 4 GB');
      for (let at = 0, block = 0; at < shard.contentBytes; ) {
        const end = Math.min(shard.contentBytes, at + READ_BYTES);
        read(workspace.arena.u8.subarray(address + at, address + end), at);
        block = checkBlocks(workspace, shard, { block, base: address, end });
        at = end;
        yield;
      }
      isLoaded = true;
    } finally {
      if (!isLoaded) workspace.arena.release(address);
    }
    return new ResidentContent(workspace, address);
  }

  place(_ids: number, count: number): number {
    this.#workspace.arena.words(this.#workspace.bases, count).fill(this.address);
    return count;
  }

  placeDocument(): number {
    return this.address;
  }

  bytes(start: number, end: number): Buffer {
    return this.#workspace.arena.buffer.subarray(this.address + start, this.address + end);
  }

  forget(): void {
    // All of it stays in memory.
  }
}
