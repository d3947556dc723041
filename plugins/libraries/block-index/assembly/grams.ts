// @ts-nocheck AssemblyScript
// Collects the keys of each block while the index is built. A key is three folded bytes of 7 bits. Every key owns a chain of
// 64-byte chunks with the varint gaps of its blocks, so that building needs about one byte per posting and no sorting.
//   pool: u32 bucketUsed[16384] | seen bits (256 KB) | records[2^21] of {count, last id, cursor, first chunk} | block keys | chunks
import { encode } from "./postings";

const KEYS: usize = 1 << 21;
const RECORD: usize = 16;
const CHUNK: usize = 64;
const NEXT: usize = 60; // where a chunk links to the next one

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

@inline function note(key: u32): void {
  const a = seen + (<usize>key >> 3), bit = <u32>1 << (key & 7), bits = <u32>load<u8>(a);
  if (bits & bit) return;
  store<u8>(a, bits | bit);
  store<u32>(blockKeys + (<usize>blockKeyCount << 2), key);
  blockKeyCount++;
}

/** Adds the text [p, end) to the segment; `fold` is the table of folded bytes. A segment may come in several pieces. */
export function appendGrams(p: usize, end: usize, fold: usize): void {
  let w = window;
  for (; p < end && held < 2; held++) w = w << 7 | load<u8>(fold + load<u8>(p++));
  for (; p < end; p++) {
    w = (w << 7 | load<u8>(fold + load<u8>(p))) & 0x1fffff;
    note(w);
  }
  window = w;
}

/** Ends a segment with two zero bytes: so every byte and every pair starts some key, and short needles are index queries too. */
export function endSegment(): void {
  if (!held) return;
  note((window << 7) & 0x1fffff);
  if (held > 1) note((window << 14) & 0x1fffff);
}

function appendByte(record: usize, byte: u32): void {
  let cursor = <usize>load<u32>(record, 8);
  if (cursor == 0 || (cursor & 63) == NEXT) {
    reserve(top + CHUNK);
    if (cursor) store<u32>(cursor, <u32>top);
    else store<u32>(record, <u32>top, 12);
    cursor = top;
    top += CHUNK;
  }
  store<u8>(cursor, byte);
  store<u32>(record, <u32>cursor + 1, 8);
}

/** Ends the block: appends its number to the chain of each of its keys. */
export function endBlock(block: u32): void {
  for (let i: u32 = 0; i < blockKeyCount; i++) {
    const key = load<u32>(blockKeys + (<usize>i << 2)), a = seen + (<usize>key >> 3), record = records + <usize>key * RECORD, count = load<u32>(record);
    store<u8>(a, load<u8>(a) & ~(<u32>1 << (key & 7)));
    let gap = count ? block - load<u32>(record, 4) - 1 : block;
    if (!count) { keyCount++; store<u32>(used + (<usize>(key >> 7) << 2), 1); }
    store<u32>(record, count + 1);
    store<u32>(record, block, 4);
    for (; gap >= 128; gap >>>= 7) appendByte(record, gap & 127 | 128);
    appendByte(record, gap);
  }
}

function decodeChain(record: usize, n: u32, out: usize): void {
  let p = <usize>load<u32>(record, 12), id: u32 = 0xffffffff;
  for (let i: u32 = 0; i < n; i++) {
    let gap: u32 = 0, byte: u32 = 128;
    for (let shift: u32 = 0; byte >= 128; shift += 7) {
      if ((p & 63) == NEXT) p = load<u32>(p);
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
