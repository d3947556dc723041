// @ts-nocheck AssemblyScript
import { encode } from './postings';

// Collects the trigrams of each block while a shard is built, and then writes their posting lists.
// A trigram is three folded bytes of 7 bits. Trigrams with the same first 10 bits share a log of 4 KB chunks.
// A log entry is 16 bits: the last 11 bits of the trigram, and the distance in blocks from the entry before.
// A block so touches few pages, a posting takes about two bytes, and only one log is sorted at a time (counting sort).
//   pool: logs[1024] of {cursor, last block, first chunk, chunks} | u32 firstOf[2049] | seen bits (256 KB) | trigrams of the block | chunks | ids

const TRIGRAMS: usize = 1 << 21;
const LOGS: usize = 1024;
const LOG_TRIGRAMS: usize = TRIGRAMS / LOGS;
const LOW_BITS: u32 = 11;
const HEADER: usize = 16;
const CHUNK: usize = 4096;
const NEXT: usize = 4092; // offset of the link to the next chunk
const LAST: usize = 4086; // the last offset at which an entry of up to six bytes fits
/** A distance that does not fit: the number of the block follows. */
const FAR: u32 = 31;
const FAR_BITS: u32 = 5;
/** The cursor of an empty log. */
const NOWHERE: u32 = 4095;

let logs: usize = 0,
  firstOf: usize = 0,
  seen: usize = 0,
  blockTrigrams: usize = 0,
  top: usize = 0,
  ids: usize = 0,
  walk: u32 = 0;
let window: u32 = 0,
  windowBytes: u32 = 0,
  blockTrigramCount: u32 = 0;

/** Starts an empty pool at p. The seen bits there must be zero. */
export function startPool(p: usize): void {
  logs = p;
  firstOf = logs + LOGS * HEADER;
  seen = firstOf + (LOG_TRIGRAMS + 4) * 4;
  blockTrigrams = seen + (TRIGRAMS >> 3);
  top = (blockTrigrams + (TRIGRAMS + 1) * 4 + CHUNK - 1) & ~(CHUNK - 1);
  walk = 0;
  memory.fill(logs, 0, LOGS * HEADER);
  for (let log = logs; log < firstOf; log += HEADER) store<u32>(log, NOWHERE);
}

function reserve(end: usize): void {
  const have = (<usize>memory.size()) << 16;
  if (end > have && memory.grow(<i32>((end - have + 0x1000000) >> 16)) < 0) unreachable();
}

export function beginBlock(): void {
  blockTrigramCount = 0;
}
export function beginSegment(): void {
  window = windowBytes = 0;
}

/** Adds a trigram to the n trigrams of the block unless it is there. Returns their number. Branch-free, because the outcome is hard to predict. */
/* @inline */ function addTrigram(trigram: u32, n: u32): u32 {
  const a = seen + (<usize>trigram >> 3),
    shift = trigram & 7,
    bits = <u32>load<u8>(a);
  store<u8>(a, bits | ((<u32>1) << shift));
  store<u32>(blockTrigrams + ((<usize>n) << 2), trigram);
  return n + (~(bits >>> shift) & 1);
}

/** Adds a trigram to the block. */
export function addToBlock(trigram: u32): void {
  blockTrigramCount = addTrigram(trigram, blockTrigramCount);
}

/** Adds the text [p, end) to the segment. `fold` is the table of folded bytes. A segment may be added in several calls. */
export function appendTrigrams(p: usize, end: usize, fold: usize): void {
  let w = window,
    n = blockTrigramCount;
  for (; p < end && windowBytes < 2; windowBytes++) w = (w << 7) | load<u8>(fold + load<u8>(p++));
  for (; p < end; p++) {
    w = ((w << 7) | load<u8>(fold + load<u8>(p))) & 0x1fffff;
    n = addTrigram(w, n);
  }
  window = w;
  blockTrigramCount = n;
}

/** Ends a segment with two zero bytes: every byte and every two bytes then start a trigram, so the index finds short needles, too. */
export function endSegment(): void {
  if (!windowBytes) return;
  blockTrigramCount = addTrigram((window << 7) & 0x1fffff, blockTrigramCount);
  if (windowBytes > 1) blockTrigramCount = addTrigram((window << 14) & 0x1fffff, blockTrigramCount);
}

function startChunk(log: usize, cursor: usize): usize {
  reserve(top + CHUNK);
  if (cursor === NOWHERE) store<u32>(log, <u32>top, 8);
  else store<u32>((cursor & ~(CHUNK - 1)) + NEXT, <u32>top);
  store<u32>(log, load<u32>(log, 12) + 1, 12);
  top += CHUNK;
  return top - CHUNK;
}

/** Ends the block: appends its trigrams to their logs. */
export function endBlock(block: u32): void {
  for (let a = blockTrigrams, end = blockTrigrams + ((<usize>blockTrigramCount) << 2); a < end; a += 4) {
    const trigram = load<u32>(a),
      log = logs + <usize>(trigram >>> LOW_BITS) * HEADER,
      distance = block - load<u32>(log, 4);
    let cursor = <usize>load<u32>(log);
    store<u8>(seen + (<usize>trigram >> 3), 0); // clears up to eight bits, all of this block
    if ((cursor & (CHUNK - 1)) > LAST) cursor = startChunk(log, cursor);
    if (distance < FAR) store<u16>(cursor, (trigram << FAR_BITS) | distance);
    else {
      store<u16>(cursor, (trigram << FAR_BITS) | FAR);
      store<u32>(cursor + 2, block);
      cursor += 4;
    }
    store<u32>(log, <u32>cursor + 2);
    store<u32>(log, block, 4);
  }
}

/** Ends collecting. Returns the first address that `nextList` does not use. */
export function beginLists(): usize {
  let most: usize = 0;
  for (let log = logs; log < firstOf; log += HEADER) most = max<usize>(most, load<u32>(log, 12));
  ids = top + 64;
  const end = ids + most * (CHUNK * 2);
  reserve(end);
  return end;
}

/** Address of the next entry, which may be in the next chunk. */
/* @inline */ function posting(p: usize): usize {
  return (p & (CHUNK - 1)) > LAST ? <usize>load<u32>((p & ~(CHUNK - 1)) + NEXT) : p;
}
/* @inline */ function trigramOf(posting: u32): usize {
  return firstOf + ((<usize>(posting >>> FAR_BITS)) << 2);
}

/** Sorts a log: writes the blocks of its trigrams, one trigram after the other, and to `firstOf` where those of the next begin. */
function sortLog(log: usize): void {
  const end = <usize>load<u32>(log);
  memory.fill(firstOf, 0, (LOG_TRIGRAMS + 1) * 4);
  for (let p = <usize>load<u32>(log, 8); p !== end; ) {
    p = posting(p);
    const word = <u32>load<u16>(p),
      count = trigramOf(word) + 4;
    store<u32>(count, load<u32>(count) + 4);
    p += (word & FAR) === FAR ? 6 : 2;
  }
  let sum: u32 = <u32>ids;
  for (let a = firstOf; a <= firstOf + LOG_TRIGRAMS * 4; a += 4) {
    sum += load<u32>(a);
    store<u32>(a, sum);
  }
  let block: u32 = 0;
  for (let p = <usize>load<u32>(log, 8); p !== end; ) {
    p = posting(p);
    const word = <u32>load<u16>(p),
      place = trigramOf(word),
      at = load<u32>(place);
    if ((word & FAR) === FAR) {
      block = load<u32>(p + 2);
      p += 6;
    } else {
      block += word & FAR;
      p += 2;
    }
    store<u32>(at, block);
    store<u32>(place, at + 4);
  }
}

/** Encodes the list of the next trigram at `out` and writes {trigram, number of ids, bytes} to `entry`. Returns 0 after the last. */
export function nextList(out: usize, entry: usize): u32 {
  for (; walk < <u32>TRIGRAMS; walk++) {
    const inLog = <usize>walk & (LOG_TRIGRAMS - 1);
    if (!inLog) {
      const log = logs + <usize>(walk >>> LOW_BITS) * HEADER;
      if (!load<u32>(log, 8)) {
        walk += <u32>LOG_TRIGRAMS - 1;
        continue;
      }
      sortLog(log);
    }
    const from: usize = inLog ? load<u32>(firstOf + ((inLog - 1) << 2)) : ids,
      n = <u32>(load<u32>(firstOf + (inLog << 2)) - from) >> 2;
    if (!n) continue;
    reserve(out + <usize>n * 5 + 4096);
    store<u32>(entry, walk++);
    store<u32>(entry, n, 4);
    store<u32>(entry, encode(from, n, out), 8);
    return 1;
  }
  return 0;
}
