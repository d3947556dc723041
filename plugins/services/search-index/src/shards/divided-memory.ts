import { SextantError } from '@sextant/core';
import { Arena } from '@sextant/library-block-index';
import type { ArenaRegion } from '@sextant/library-block-index';
import type { IndexThreadData } from './index-thread.ts';

/** Memory that all threads share, with a part to work in for each. */
export interface DividedMemory {
  /** Of the thread that loads indexes and texts: what is in it, all look at. */
  readonly index: IndexThreadData;
  /** One for each thread that searches. */
  readonly threads: readonly ArenaRegion[];
}

/** Scratch memory of each thread that answers queries, with its cache of content that is on disk. */
const threadBytes = { least: 64 << 20, most: 128 << 20 };
/** Share of all memory for that scratch memory, where it is not less. */
const threadShare = 1 / 16;
/** Scratch memory of the thread that loads. */
const indexBytes = 16 << 20;
/** Addresses have 32 bits. */
const mostBytes = 4_290_000_000;

/** Texts stay on disk above this share of the memory. The rest is for more indexes and, below 2 GB, for what searches hold. */
const textsIn = (bytes: number): number => Math.min(0.8 * bytes, Math.max(192 << 20, 1.225 * bytes - (870 << 20)));

/** Reserves it: real memory is what is touched. */
export function divideMemory({ memoryBytes, threads }: { memoryBytes: number; threads: number }): DividedMemory {
  const { least, most } = threadBytes;
  const scratch = Math.min(most, Math.max(least, Math.floor((memoryBytes * threadShare) / threads)));
  const arena = reserved(Math.min(memoryBytes + threads * scratch + indexBytes, mostBytes));
  const parts = Array.from({ length: threads }, () => arena.split(scratch));
  const mostWithTexts = textsIn(memoryBytes) - arena.taken;
  return { index: { part: arena.split(arena.largestFree), mostWithTexts }, threads: parts };
}

function reserved(bytes: number): Arena {
  try {
    return Arena.create(bytes);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new SextantError(
      'unavailable',
      `${bytes} bytes of memory for indexes cannot be reserved; raise the limit of this process (ulimit -v, -d: 64-bit programs reserve some ten times as much address space as memory), or lower memoryBytes`,
      { cause },
    );
  }
}
