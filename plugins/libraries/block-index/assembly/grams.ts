// @ts-nocheck AssemblyScript
// Collects the keys of each block while the index is built. A key is three folded bytes of 7 bits. The keys that begin alike are a group,
// which has a log of chunks of 4 KB: 16 bits for a key of a block, with how many blocks it is after the one before. So a block touches few
// pages, building needs about two bytes per posting, and only the keys of one group are put in order at a time.
//   pool: groups[1024] of {cursor, last block, first chunk, chunks} | u32 firstOf[2049] | seen bits (256 KB) | block keys | chunks | ids
import { encode } from "./postings";

const KEYS: usize = 1 << 21;
const GROUPS: usize = 1024;
const GROUP_KEYS: usize = KEYS / GROUPS;
const KEY_BITS: u32 = 11;
const HEADER: usize = 16;
const CHUNK: usize = 4096;
const NEXT: usize = 4092; // where a chunk links to the next one
const LAST: usize = 4086; // where the last posting of a chunk may begin: it takes up to six bytes
/** Instead of a distance: the number of the block follows. */
const FAR: u32 = 31;
const FAR_BITS: u32 = 5;
/** The cursor of a group without a chunk. */
const NOWHERE: u32 = 4095;

let groups: usize = 0, firstOf: usize = 0, seen: usize = 0, blockKeys: usize = 0, top: usize = 0, ids: usize = 0, walk: u32 = 0;
let window: u32 = 0, held: u32 = 0, blockKeyCount: u32 = 0;

/** Starts an empty pool at p, in memory whose seen bits are zero; a block may have every key. */
export function startPool(p: usize): void {
  groups = p;
  firstOf = groups + GROUPS * HEADER;
  seen = firstOf + (GROUP_KEYS + 4) * 4;
  blockKeys = seen + (KEYS >> 3);
  top = (blockKeys + (KEYS + 1) * 4 + CHUNK - 1) & ~(CHUNK - 1);
  walk = 0;
  memory.fill(groups, 0, GROUPS * HEADER);
  for (let group = groups; group < firstOf; group += HEADER) store<u32>(group, NOWHERE);
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

function startChunk(group: usize, cursor: usize): usize {
  reserve(top + CHUNK);
  if (cursor == NOWHERE) store<u32>(group, <u32>top, 8);
  else store<u32>((cursor & ~(CHUNK - 1)) + NEXT, <u32>top);
  store<u32>(group, load<u32>(group, 12) + 1, 12);
  top += CHUNK;
  return top - CHUNK;
}

/** Ends the block: appends its number to the logs of its keys. */
export function endBlock(block: u32): void {
  for (let a = blockKeys, end = blockKeys + (<usize>blockKeyCount << 2); a < end; a += 4) {
    const key = load<u32>(a), group = groups + <usize>(key >>> KEY_BITS) * HEADER, distance = block - load<u32>(group, 4);
    let cursor = <usize>load<u32>(group);
    store<u8>(seen + (<usize>key >> 3), 0); // what else is seen there is of this block, too
    if ((cursor & (CHUNK - 1)) > LAST) cursor = startChunk(group, cursor);
    if (distance < FAR) store<u16>(cursor, key << FAR_BITS | distance);
    else {
      store<u16>(cursor, key << FAR_BITS | FAR);
      store<u32>(cursor + 2, block);
      cursor += 4;
    }
    store<u32>(group, <u32>cursor + 2);
    store<u32>(group, block, 4);
  }
}

/** Ends collecting: returns the first address after what listing needs. */
export function beginLists(): usize {
  let most: usize = 0;
  for (let group = groups; group < firstOf; group += HEADER) most = max<usize>(most, load<u32>(group, 12));
  ids = top + 64;
  const end = ids + most * (CHUNK * 2);
  reserve(end);
  return end;
}

/** Where the next posting stands: some at the end of a chunk would not have fitted into it. */
@inline function posting(p: usize): usize { return (p & (CHUNK - 1)) > LAST ? <usize>load<u32>((p & ~(CHUNK - 1)) + NEXT) : p; }
@inline function trigramOf(posting: u32): usize { return firstOf + (<usize>(posting >>> FAR_BITS) << 2); }

/** Writes the blocks of each key of the group, one key after the other, and to `firstOf` where the next key's begin. */
function sortGroup(group: usize): void {
  const end = <usize>load<u32>(group);
  memory.fill(firstOf, 0, (GROUP_KEYS + 1) * 4);
  for (let p = <usize>load<u32>(group, 8); p != end; ) {
    p = posting(p);
    const word = <u32>load<u16>(p), count = trigramOf(word) + 4;
    store<u32>(count, load<u32>(count) + 4);
    p += (word & FAR) == FAR ? 6 : 2;
  }
  let sum: u32 = <u32>ids;
  for (let a = firstOf; a <= firstOf + GROUP_KEYS * 4; a += 4) {
    sum += load<u32>(a);
    store<u32>(a, sum);
  }
  let block: u32 = 0;
  for (let p = <usize>load<u32>(group, 8); p != end; ) {
    p = posting(p);
    const word = <u32>load<u16>(p), place = trigramOf(word), at = load<u32>(place);
    if ((word & FAR) == FAR) { block = load<u32>(p + 2); p += 6; }
    else { block += word & FAR; p += 2; }
    store<u32>(at, block);
    store<u32>(place, at + 4);
  }
}

/** Encodes the next list in key order at `out`. Writes {key, count, bytes} to `entry`. Returns 0 when there are no more. */
export function nextList(out: usize, entry: usize): u32 {
  for (; walk < <u32>KEYS; walk++) {
    const inGroup = <usize>walk & (GROUP_KEYS - 1);
    if (!inGroup) {
      const group = groups + <usize>(walk >>> KEY_BITS) * HEADER;
      if (!load<u32>(group, 8)) { walk += <u32>GROUP_KEYS - 1; continue; }
      sortGroup(group);
    }
    const from: usize = inGroup ? load<u32>(firstOf + ((inGroup - 1) << 2)) : ids, n = <u32>(load<u32>(firstOf + (inGroup << 2)) - from) >> 2;
    if (!n) continue;
    reserve(out + <usize>n * 5 + 4096);
    store<u32>(entry, walk++);
    store<u32>(entry, n, 4);
    store<u32>(entry, encode(from, n, out), 8);
    return 1;
  }
  return 0;
}
