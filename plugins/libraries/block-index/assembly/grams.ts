// @ts-nocheck AssemblyScript
// Collects the keys of each block while the index is built. A key is three folded bytes of 7 bits. Every key owns a chain of
// 64-byte chunks with the varint gaps of its blocks, so that building needs about one byte per posting and no sorting.
//   pool: u32 bucketUsed[16384] | seen bits (256 KB) | records[2^21] of {count, last id, cursor, first chunk} | block keys | chunks
import { encode } from "./postings";

const KEYS: usize = 1 << 21;
const RECORD: usize = 16;
const CHUNK: usize = 64;
const NEXT: usize = 60; // where a chunk links to the next one
const LAST: usize = 55; // where the last gap of a chunk may begin: it takes up to five bytes

let used: usize = 0, seen: usize = 0, records: usize = 0, blockKeys: usize = 0, top: usize = 0, walk: u32 = 0;
let window: u32 = 0, held: u32 = 0, blockKeyCount: u32 = 0;
/** Number of different keys so far. */
export let keyCount: u32 = 0;
/** First free address after the chunks. */
export function poolEnd(): usize { return top; }

/** Starts an empty pool at p, in zeroed memory; `mostKeys` bounds the different keys of one block. */
export function startPool(p: usize, mostKeys: u32): void {
  used = p;
  seen = used + 65536;
  records = seen + (KEYS >> 3);
  blockKeys = records + KEYS * RECORD;
  top = (blockKeys + (<usize>mostKeys << 2) + 63) & ~63;
  keyCount = walk = 0;
}

function reserve(end: usize): void {
  const have = <usize>memory.size() << 16;
  if (end > have && memory.grow(<i32>((end - have + 0x1000000) >> 16)) < 0) unreachable();
}

export function beginBlock(): void { blockKeyCount = 0; }
export function beginSegment(): void { window = held = 0; }

/** Notes a key as the n-th of the block; returns how many there are then. Without a branch: whether a key is new is hard to guess. */
@inline function note(key: u32, n: u32): u32 {
  const a = seen + (<usize>key >> 3), shift = key & 7, bits = <u32>load<u8>(a);
  store<u8>(a, bits | <u32>1 << shift);
  store<u32>(blockKeys + (<usize>n << 2), key);
  return n + (~(bits >>> shift) & 1);
}

/** Adds the text [p, end) to the segment; `fold` is the table of folded bytes. A segment may come in several pieces. */
export function appendGrams(p: usize, end: usize, fold: usize): void {
  let w = window, n = blockKeyCount;
  for (; p < end && held < 2; held++) w = w << 7 | load<u8>(fold + load<u8>(p++));
  for (; p < end; p++) {
    w = (w << 7 | load<u8>(fold + load<u8>(p))) & 0x1fffff;
    n = note(w, n);
  }
  window = w;
  blockKeyCount = n;
}

/** Ends a segment with two zero bytes: so every byte and every pair starts some key, and short needles are index queries too. */
export function endSegment(): void {
  if (!held) return;
  blockKeyCount = note((window << 7) & 0x1fffff, blockKeyCount);
  if (held > 1) blockKeyCount = note((window << 14) & 0x1fffff, blockKeyCount);
}

/** Where the next gap of a key goes: a gap lies in one chunk. */
@inline function roomAt(record: usize): usize {
  const cursor = <usize>load<u32>(record, 8);
  return cursor != 0 && (cursor & 63) <= LAST ? cursor : startChunk(record, cursor);
}

function startChunk(record: usize, cursor: usize): usize {
  reserve(top + CHUNK);
  if (cursor) store<u32>((cursor & ~63) + NEXT, <u32>top);
  else store<u32>(record, <u32>top, 12);
  top += CHUNK;
  return top - CHUNK;
}

/** Ends the block: appends its number to the chain of each of its keys. */
export function endBlock(block: u32): void {
  for (let i: u32 = 0; i < blockKeyCount; i++) {
    const key = load<u32>(blockKeys + (<usize>i << 2)), a = seen + (<usize>key >> 3), record = records + <usize>key * RECORD, count = load<u32>(record);
    store<u8>(a, 0); // what else is seen there is of this block, too
    let gap = count ? block - load<u32>(record, 4) - 1 : block, cursor = roomAt(record);
    if (!count) { keyCount++; store<u32>(used + (<usize>(key >> 7) << 2), 1); }
    store<u32>(record, count + 1);
    store<u32>(record, block, 4);
    for (; gap >= 0x4000; gap >>>= 7) store<u8>(cursor++, gap & 127 | 128);
    // One byte or two, without a branch: which of them is hard to guess.
    const isLong = <u32>(gap >= 128);
    store<u16>(cursor, (gap & 127) | isLong << 7 | gap >>> 7 << 8);
    store<u32>(record, <u32>cursor + 1 + isLong, 8);
  }
}

function decodeChain(record: usize, n: u32, out: usize): void {
  let p = <usize>load<u32>(record, 12), id: u32 = 0xffffffff;
  for (let i: u32 = 0; i < n; i++) {
    if ((p & 63) > LAST) p = load<u32>((p & ~63) + NEXT);
    let gap: u32 = 0, byte: u32 = 128;
    for (let shift: u32 = 0; byte >= 128; shift += 7) {
      byte = load<u8>(p++);
      gap |= (byte & 127) << shift;
    }
    id += gap + 1;
    store<u32>(out, id);
    out += 4;
  }
}

/**
 * Encodes the next list in key order at `out`; `ids` has room for one id per block. Writes {key, count, bytes} to `entry`.
 * Returns 0 when there are no more.
 */
export function nextList(ids: usize, out: usize, entry: usize): u32 {
  for (; walk < <u32>KEYS; walk++) {
    if (!(walk & 127) && !load<u32>(used + (<usize>(walk >> 7) << 2))) { walk += 127; continue; }
    const record = records + <usize>walk * RECORD, n = load<u32>(record);
    if (!n) continue;
    reserve(out + <usize>n * 5 + 4096);
    decodeChain(record, n, ids);
    store<u32>(entry, walk++);
    store<u32>(entry, n, 4);
    store<u32>(entry, encode(ids, n, out), 8);
    return 1;
  }
  return 0;
}
