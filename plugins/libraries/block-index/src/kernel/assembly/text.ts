// @ts-nocheck AssemblyScript

// Functions over plain bytes: substring search, lines and UTF-8.
// The two searches read up to 1,056 bytes past the end, so the arena ends with padding.
//
// A needle is: u32 length | u32 i | u32 j | u32 end of the last match | bytes[1024] | mask[1024].
// i and j are the positions of its two rarest bytes. A text byte matches when (byte | mask) is the needle byte.
// The mask is 0x20 for a letter that matches in any case, which is then stored in lower case; else it is 0.
const BYTES: usize = 16,
  MASK: usize = 1040;
export const NONE: usize = <usize>-1;

/** First occurrence in [p, end), or NONE. Compares the two rarest bytes at 32 positions at a time, then the whole needle. */
export function find(p: usize, end: usize, needle: usize): usize {
  const length = <usize>load<u32>(needle),
    i = <usize>load<u32>(needle, 4),
    j = <usize>load<u32>(needle, 8);
  if (end < p + length) return NONE;
  const last = end - length;
  const byteI = v128.load8_splat(needle + i, BYTES),
    byteJ = v128.load8_splat(needle + j, BYTES);
  const maskI = v128.load8_splat(needle + i, MASK),
    maskJ = v128.load8_splat(needle + j, MASK);
  for (; p <= last; p += 32) {
    const a = v128.and(
      i8x16.eq(v128.or(v128.load(p + i), maskI), byteI),
      i8x16.eq(v128.or(v128.load(p + j), maskJ), byteJ),
    );
    const b = v128.and(
      i8x16.eq(v128.or(v128.load(p + i, 16), maskI), byteI),
      i8x16.eq(v128.or(v128.load(p + j, 16), maskJ), byteJ),
    );
    if (!v128.any_true(v128.or(a, b))) continue;
    for (let bits = <u32>i8x16.bitmask(a) | ((<u32>i8x16.bitmask(b)) << 16); bits; bits &= bits - 1) {
      const start = p + ctz(bits);
      if (start > last) return NONE;
      let k: usize = 0;
      while (k < length && (load<u8>(start + k) | load<u8>(needle + k, MASK)) === load<u8>(needle + k, BYTES)) k++;
      if (k === length) return start;
    }
  }
  return NONE;
}

/* @inline */ function outside(text: v128, low: v128, high: v128): v128 {
  const nibble = i8x16.splat(15);
  const rows = v128.and(i8x16.swizzle(low, v128.and(text, nibble)), i8x16.swizzle(high, i8x16.shr_u(text, 4)));
  return i8x16.eq(rows, i8x16.splat(0));
}

/**
 * First position in [p, end - 2] where three adjacent bytes may be in three byte sets, or NONE.
 * A set is two tables of 16 bytes: byte x may be in it when low[x & 15] & high[x >> 4] is not 0.
 */
export function findWindow(p: usize, end: usize, tables: usize): usize {
  if (end < p + 3) return NONE;
  const last = end - 3;
  const l0 = v128.load(tables),
    h0 = v128.load(tables, 16),
    l1 = v128.load(tables, 32),
    h1 = v128.load(tables, 48),
    l2 = v128.load(tables, 64),
    h2 = v128.load(tables, 80);
  for (; p <= last; p += 16) {
    const miss = v128.or(
      v128.or(outside(v128.load(p), l0, h0), outside(v128.load(p, 1), l1, h1)),
      outside(v128.load(p, 2), l2, h2),
    );
    const bits = ~(<u32>i8x16.bitmask(miss)) & 0xffff;
    if (bits) {
      const hit = p + ctz(bits);
      return hit > last ? NONE : hit;
    }
  }
  return NONE;
}

const NEWLINE: u8 = 10;

export function countNewlines(p: usize, end: usize): u32 {
  const newline = i8x16.splat(NEWLINE);
  let n: u32 = 0;
  for (; p + 16 <= end; p += 16) n += popcnt(i8x16.bitmask(i8x16.eq(v128.load(p), newline)));
  for (; p < end; p++) if (load<u8>(p) === NEWLINE) n++;
  return n;
}

/** Start of the line that holds p, not before `low`. */
export function lineStart(p: usize, low: usize): usize {
  const newline = i8x16.splat(NEWLINE);
  for (; p >= low + 16; p -= 16) {
    const bits = <u32>i8x16.bitmask(i8x16.eq(v128.load(p - 16), newline));
    if (bits) return p - 16 + (32 - clz(bits));
  }
  while (p > low && load<u8>(p - 1) !== NEWLINE) p--;
  return p;
}

/** Address of the first newline at or after p, or `high`. */
export function lineEnd(p: usize, high: usize): usize {
  const newline = i8x16.splat(NEWLINE);
  for (; p + 16 <= high; p += 16) {
    const bits = <u32>i8x16.bitmask(i8x16.eq(v128.load(p), newline));
    if (bits) return p + ctz(bits);
  }
  while (p < high && load<u8>(p) !== NEWLINE) p++;
  return p;
}

// UTF-8 (RFC 3629). A byte outside well-formed characters counts as a character of its own.

/** Whether a byte of [p, end) is beyond ASCII. */
export function hasHighByte(p: usize, end: usize): bool {
  for (; p + 16 <= end; p += 16) if (i8x16.bitmask(v128.load(p))) return true;
  for (; p < end; p++) if (load<u8>(p) >= 128) return true;
  return false;
}

/* @inline */ function isTail(p: usize): bool {
  return (load<u8>(p) & 0xc0) === 0x80;
}

/** Length of the well-formed character at p, or 0. */
export function characterLength(p: usize, end: usize): u32 {
  const a = <u32>load<u8>(p);
  if (a < 0x80) return 1;
  if (a < 0xc2 || a > 0xf4 || p + 1 >= end || !isTail(p + 1)) return 0;
  if (a < 0xe0) return 2;
  const b = <u32>load<u8>(p + 1);
  if (p + 2 >= end || !isTail(p + 2)) return 0;
  if (a < 0xf0) return (a === 0xe0 && b < 0xa0) || (a === 0xed && b > 0x9f) ? 0 : 3;
  if (p + 3 >= end || !isTail(p + 3)) return 0;
  return (a === 0xf0 && b < 0x90) || (a === 0xf4 && b > 0x8f) ? 0 : 4;
}

export function isUtf8(p: usize, end: usize): bool {
  while (p < end) {
    const n = characterLength(p, end);
    if (!n) return false;
    p += n;
  }
  return true;
}

/** Copies [p, end) with 0xff, which well-formed text never has, for each byte outside well-formed characters. */
export function sanitise(p: usize, end: usize, out: usize): void {
  while (p < end) {
    const n = characterLength(p, end);
    if (!n) {
      store<u8>(out++, 0xff);
      p++;
      continue;
    }
    memory.copy(out, p, n);
    out += n;
    p += n;
  }
}
