import { DamagedShardError, LimitError } from '../errors.ts';
import type { Workspace } from '../workspace.ts';
import type { Shard } from './shard.ts';

/** Reads bytes of the content; exactly `length` of them, or the content counts as damaged. */
export type ReadContent = (offset: number, length: number) => Uint8Array;

/** What a search wants of the blocks of a batch: literals need slices, regular expressions whole lines. */
export type Wanted = 'literals' | 'lines';

/** The text of a shard's blocks, where the kernel can see it. Whatever it shows was checked against the shard's checksums. */
export interface Content {
  /** Brings the text of up to `count` blocks into memory and sets their bases; returns for how many (at least one). */
  place(ids: number, count: number, wanted: Wanted): number;
  /** Brings a whole document into memory; returns its base. What was placed before is no longer there. */
  placeDocument(document: number): number;
  /** The bytes [start, end) of the content, which are good until more is asked for: that of an offset is at `base` + offset. */
  bytes(start: number, end: number): { readonly bytes: Buffer; readonly base: number };
  /** A copy of the bytes [start, end) of the content. */
  text(start: number, end: number): Uint8Array;
  /** The same as characters up to U+00FF, one for each byte: what is ASCII is read so without a copy. */
  latin1(start: number, end: number): string;
  /** Gives its memory back. */
  release(): void;
}

const READ_BYTES = 1 << 20;

export function readExactly(read: ReadContent, offset: number, length: number): Uint8Array {
  const bytes = read(offset, length);
  if (bytes.length !== length) throw new DamagedShardError(`the content ends after ${offset + bytes.length} bytes`);
  return bytes;
}

/** Checks the text of a block at an address. */
export function checkBlock(
  { kernel }: Workspace,
  { tables }: Shard,
  { block, at, length }: { block: number; at: number; length: number },
): void {
  if (kernel.xxh32(at, length, 0) >>> 0 !== tables.blockSum[block])
    throw new DamagedShardError(`the checksum of block ${block} of the content is wrong`);
}

/** Checks the blocks from this one on that end before a content offset; returns the first that does not. */
function checkBlocks(
  workspace: Workspace,
  shard: Shard,
  { block: first, address, end: known }: { block: number; address: number; end: number },
): number {
  for (let block = first; block < shard.blocks; block++) {
    if (shard.isGroup(block)) continue;
    const { start, end } = shard.blockRange(block);
    if (end > known) return block;
    checkBlock(workspace, shard, { block, at: address + start, length: end - start });
  }
  return shard.blocks;
}

/** The whole content in memory. */
export class ResidentContent implements Content {
  readonly address: number;
  readonly #workspace: Workspace;
  readonly #isOwner: boolean;

  private constructor(workspace: Workspace, address: number, isOwner: boolean) {
    this.#workspace = workspace;
    this.address = address;
    this.#isOwner = isOwner;
  }

  /** Reads the content into memory and checks it. Throws DamagedShardError, or LimitError when there is no room. */
  static load(workspace: Workspace, shard: Shard, read: ReadContent): ResidentContent {
    const steps = ResidentContent.loadInSteps(workspace, shard, read);
    for (let next = steps.next(); ; next = steps.next()) if (next.done === true) return next.value;
  }

  /** The same in steps of some milliseconds; who does not want the rest of them ends them, and the memory goes back. */
  static *loadInSteps(workspace: Workspace, shard: Shard, read: ReadContent): Generator<void, ResidentContent> {
    const address = workspace.arena.allocate(shard.contentBytes);
    let isLoaded = false;
    try {
      if (address + shard.contentBytes >= 2 ** 32) throw new LimitError('the memory of the index holds less than 4 GB');
      for (let at = 0, block = 0; at < shard.contentBytes; ) {
        const bytes = readExactly(read, at, Math.min(READ_BYTES, shard.contentBytes - at));
        workspace.arena.u8.set(bytes, address + at);
        at += bytes.length;
        block = checkBlocks(workspace, shard, { block, address, end: at });
        yield;
      }
      isLoaded = true;
    } finally {
      if (!isLoaded) workspace.arena.release(address);
    }
    return new ResidentContent(workspace, address, true);
  }

  /** Content that another thread has loaded into the same memory. */
  static attach(workspace: Workspace, address: number): ResidentContent {
    return new ResidentContent(workspace, address, false);
  }

  place(_ids: number, count: number): number {
    this.#workspace.arena.words(this.#workspace.bases, count).fill(this.address);
    return count;
  }

  placeDocument(): number {
    return this.address;
  }

  bytes(): { bytes: Buffer; base: number } {
    return { bytes: this.#workspace.arena.buffer, base: this.address };
  }

  text(start: number, end: number): Uint8Array {
    return this.#workspace.arena.u8.slice(this.address + start, this.address + end);
  }

  latin1(start: number, end: number): string {
    return this.#workspace.arena.buffer.toString('latin1', this.address + start, this.address + end);
  }

  release(): void {
    if (this.#isOwner) this.#workspace.arena.release(this.address);
  }
}
