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
