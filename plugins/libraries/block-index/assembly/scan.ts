// @ts-nocheck AssemblyScript
// Searching bytes. Both searches read up to 1,024 + 32 bytes past the end: the arena ends with padding.
// Needle: u32 length | u32 i | u32 j | u32 state of the scan | bytes[1024] | mask[1024]. i and j are the positions of its two rarest bytes; the mask
// is 0x20 under letters that match in any case (whose bytes are lower case), else 0: a text byte fits when (byte | mask) == needle byte.
const BYTES: usize = 16, MASK: usize = 1040;
const PIVOT: usize = 96, PIVOT_BYTE: usize = 100;
export const NONE: usize = <usize>-1;

/** First occurrence that lies wholly in [p, end), or all ones. */
export function find(p: usize, end: usize, needle: usize): usize {
  const length = <usize>load<u32>(needle), i = <usize>load<u32>(needle, 4), j = <usize>load<u32>(needle, 8);
  if (end < p + length) return NONE;
  const last = end - length;
  const byteI = v128.load8_splat(needle + i, BYTES), byteJ = v128.load8_splat(needle + j, BYTES);
  const maskI = v128.load8_splat(needle + i, MASK), maskJ = v128.load8_splat(needle + j, MASK);
  for (; p <= last; p += 32) {
    const a = v128.and(i8x16.eq(v128.or(v128.load(p + i), maskI), byteI), i8x16.eq(v128.or(v128.load(p + j), maskJ), byteJ));
    const b = v128.and(i8x16.eq(v128.or(v128.load(p + i, 16), maskI), byteI), i8x16.eq(v128.or(v128.load(p + j, 16), maskJ), byteJ));
    if (!v128.any_true(v128.or(a, b))) continue;
    for (let bits = <u32>i8x16.bitmask(a) | <u32>i8x16.bitmask(b) << 16; bits; bits &= bits - 1) {
      const start = p + ctz(bits);
      if (start > last) return NONE;
      let k: usize = 0;
      while (k < length && (load<u8>(start + k) | load<u8>(needle + k, MASK)) == load<u8>(needle + k, BYTES)) k++;
      if (k == length) return start;
    }
  }
  return NONE;
}

@inline function outside(text: v128, low: v128, high: v128): v128 {
  const nibble = i8x16.splat(15);
  const rows = v128.and(i8x16.swizzle(low, v128.and(text, nibble)), i8x16.swizzle(high, i8x16.shr_u(text, 4)));
  return i8x16.eq(rows, i8x16.splat(0));
}

@inline function isIn(p: usize, tables: usize): bool {
  const x = <usize>load<u8>(p);
  return (load<u8>(tables + (x & 15)) & load<u8>(tables + (x >>> 4), 16)) != 0;
}

/** The same where one of the three sets has a single byte, which is not frequent: it is looked for first. */
function findAround(p: usize, last: usize, tables: usize, pivot: usize): usize {
  const byte = v128.load8_splat(tables, PIVOT_BYTE);
  for (; p <= last; p += 32) {
    const a = i8x16.eq(v128.load(p + pivot), byte), b = i8x16.eq(v128.load(p + pivot, 16), byte);
    if (!v128.any_true(v128.or(a, b))) continue;
    for (let bits = <u32>i8x16.bitmask(a) | <u32>i8x16.bitmask(b) << 16; bits; bits &= bits - 1) {
      const start = p + ctz(bits);
      if (start > last) return NONE;
      if (isIn(start, tables) && isIn(start + 1, tables + 32) && isIn(start + 2, tables + 64)) return start;
    }
  }
  return NONE;
}

/**
 * First p in [p, end - 2] whose three bytes fit three byte sets, or all ones. A set is two tables of 16 bytes: byte x may be in it
 * when low[x & 15] & high[x >> 4] is not 0. Behind them: the number of the set with a single byte (3: none), and the byte.
 */
export function findWindow(p: usize, end: usize, tables: usize): usize {
  if (end < p + 3) return NONE;
  const last = end - 3, pivot = <usize>load<u32>(tables, PIVOT);
  if (pivot < 3) return findAround(p, last, tables, pivot);
  const l0 = v128.load(tables), h0 = v128.load(tables, 16), l1 = v128.load(tables, 32), h1 = v128.load(tables, 48), l2 = v128.load(tables, 64), h2 = v128.load(tables, 80);
  for (; p <= last; p += 16) {
    const miss = v128.or(v128.or(outside(v128.load(p), l0, h0), outside(v128.load(p, 1), l1, h1)), outside(v128.load(p, 2), l2, h2));
    const bits = ~(<u32>i8x16.bitmask(miss)) & 0xffff;
    if (bits) { const hit = p + ctz(bits); return hit > last ? NONE : hit; }
  }
  return NONE;
}
