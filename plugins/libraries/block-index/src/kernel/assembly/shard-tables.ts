// @ts-nocheck AssemblyScript

// The tables of a shard. `shard` is the address of a record with the address of each table (KERNEL_TABLES in format/shard.ts).
// Suffixes: s is the number of a segment, d of a document, b of a block.

/* @inline */ function word(table: usize, i: u32): u32 {
  return load<u32>(table + ((<usize>i) << 2));
}
/* @inline */ export function segmentStart(shard: usize, s: u32): u32 {
  return word(load<u32>(shard), s);
}
/* @inline */ export function segmentDocument(shard: usize, s: u32): u32 {
  return word(load<u32>(shard, 4), s);
}
/* @inline */ export function segmentLine(shard: usize, s: u32): u32 {
  return word(load<u32>(shard, 8), s);
}
/* @inline */ export function documentSegment(shard: usize, d: u32): u32 {
  return word(load<u32>(shard, 12), d);
}
/* @inline */ export function blockSegment(shard: usize, b: u32): u32 {
  return word(load<u32>(shard, 16), b);
}
/**
 * Ordinary block: the segment after its text. Slice of a long line: SLICE | the number of its group.
 * Group (the whole long line): the segment after its text | CLOSED when the line ends with a newline.
 */
/* @inline */ export function blockSpan(shard: usize, b: u32): u32 {
  return word(load<u32>(shard, 20), b);
}
export const SLICE: u32 = 0x80000000,
  CLOSED: u32 = 0x40000000;
/* @inline */ export function spanEnd(shard: usize, b: u32): u32 {
  return blockSpan(shard, b) & ~CLOSED;
}

/** Whether the filter, a bitmap of documents, contains d. Address 0 means no filter. */
/* @inline */ export function isAllowed(filter: usize, d: u32): bool {
  return !filter || ((load<u8>(filter + (d >>> 3)) >>> (d & 7)) & 1) !== 0;
}

/* @inline */ function segmentsEnd(shard: usize, b: u32): u32 {
  return max(blockSegment(shard, b + 1), blockSegment(shard, b) + 1);
}

/** Writes the blocks [from, to) and returns their number. */
export function allBlocks(from: u32, to: u32, out: usize): u32 {
  for (let b = from; b < to; b++, out += 4) store<u32>(out, b);
  return to - from;
}

/** Keeps those of m blocks that hold text of an allowed document. Returns their number. */
export function allowedBlocks(shard: usize, ids: usize, m: u32, filter: usize): u32 {
  let write = ids;
  for (let k: u32 = 0; k < m; k++) {
    const b = word(ids, k);
    for (let s = blockSegment(shard, b), end = segmentsEnd(shard, b); s < end; s++) {
      if (!isAllowed(filter, segmentDocument(shard, s))) continue;
      store<u32>(write, b);
      write += 4;
      break;
    }
  }
  return <u32>((write - ids) >> 2);
}

/**
 * Writes the allowed documents with text in m blocks, ascending and each once. A group counts as its first slice.
 * Returns how many there are; only the first `capacity` are written.
 */
export function documentsOf(shard: usize, ids: usize, m: u32, filter: usize, out: usize, capacity: u32): u32 {
  let n: u32 = 0,
    last: u32 = <u32>-1;
  for (let k: u32 = 0; k < m; k++) {
    const b = word(ids, k);
    for (let s = blockSegment(shard, b), end = segmentsEnd(shard, b); s < end; s++) {
      const d = segmentDocument(shard, s);
      if (d === last || !isAllowed(filter, d)) continue;
      last = d;
      if (n < capacity) store<u32>(out + ((<usize>n) << 2), d);
      n++;
    }
  }
  return n;
}

/** Adds to the u8 counter of each document how many of m blocks hold text of it, up to 255. Groups have no text of their own. */
export function countBlocks(shard: usize, ids: usize, m: u32, counts: usize): void {
  for (let k: u32 = 0; k < m; k++) {
    const b = word(ids, k);
    for (let s = blockSegment(shard, b), end = blockSegment(shard, b + 1); s < end; s++) {
      const at = counts + <usize>segmentDocument(shard, s),
        count = load<u8>(at);
      if (count !== 0xff) store<u8>(at, count + 1);
    }
  }
}

// Prefetching. A scan that reads block after block waits for memory at the start of each.
// Touching the cache lines of four blocks in turn lets the processor fetch them at the same time.

const TOGETHER: u32 = 4;
const LINE: usize = 64;

/** The sum of what was read. Without it the compiler would remove the reads. */
let _touched: u32 = 0;

/* @inline */ function blockAt(ids: usize, k: u32): u32 {
  return load<u32>(ids + ((<usize>k) << 2));
}

/** Bytes to prefetch of a block. A group has none; slices have none where the search reads whole lines. */
/* @inline */ function sizeOf(shard: usize, b: u32, wantsSlices: bool): usize {
  if (!wantsSlices && blockSpan(shard, b) & SLICE) return 0;
  return segmentStart(shard, blockSegment(shard, b + 1)) - segmentStart(shard, blockSegment(shard, b));
}

/** Address of the text; a readable address where nothing is prefetched. */
/* @inline */ function placeOf(shard: usize, b: u32, base: u32, size: usize): usize {
  return size ? <usize>(segmentStart(shard, blockSegment(shard, b)) + base) : shard;
}

/** Prefetches the text of the blocks k to k + 3 of m, if k is the first of four. */
export function readAhead(shard: usize, ids: usize, k: u32, m: u32, bases: usize, wantsSlices: bool): void {
  if (k % TOGETHER) return;
  const last = m - 1,
    l = min(k + 1, last),
    n = min(k + 2, last),
    o = min(k + 3, last);
  const sizeA = sizeOf(shard, blockAt(ids, k), wantsSlices),
    a = placeOf(shard, blockAt(ids, k), blockAt(bases, k), sizeA);
  const sizeB = sizeOf(shard, blockAt(ids, l), wantsSlices),
    b = placeOf(shard, blockAt(ids, l), blockAt(bases, l), sizeB);
  const sizeC = sizeOf(shard, blockAt(ids, n), wantsSlices),
    c = placeOf(shard, blockAt(ids, n), blockAt(bases, n), sizeC);
  const sizeD = sizeOf(shard, blockAt(ids, o), wantsSlices),
    d = placeOf(shard, blockAt(ids, o), blockAt(bases, o), sizeD);
  const most = max(max(sizeA, sizeB), max(sizeC, sizeD));
  let sum: u32 = 0;
  for (let at: usize = 0; at < most; at += LINE)
    sum +=
      load<u8>(a + min(at, sizeA)) +
      load<u8>(b + min(at, sizeB)) +
      load<u8>(c + min(at, sizeC)) +
      load<u8>(d + min(at, sizeD));
  _touched = sum;
}
