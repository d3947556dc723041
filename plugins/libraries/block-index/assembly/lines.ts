// @ts-nocheck AssemblyScript
const NEWLINE: u8 = 10;

export function countNewlines(p: usize, end: usize): u32 {
  const newline = i8x16.splat(NEWLINE);
  let n: u32 = 0;
  for (; p + 16 <= end; p += 16) n += popcnt(i8x16.bitmask(i8x16.eq(v128.load(p), newline)));
  for (; p < end; p++) if (load<u8>(p) == NEWLINE) n++;
  return n;
}

/** Start of the line that holds p, not before `low`. */
export function lineStart(p: usize, low: usize): usize {
  const newline = i8x16.splat(NEWLINE);
  for (; p >= low + 16; p -= 16) {
    const bits = <u32>i8x16.bitmask(i8x16.eq(v128.load(p - 16), newline));
    if (bits) return p - 16 + (32 - clz(bits));
  }
  while (p > low && load<u8>(p - 1) != NEWLINE) p--;
  return p;
}

/** Address of the first newline at or after p, or `high`. */
export function lineEnd(p: usize, high: usize): usize {
  const newline = i8x16.splat(NEWLINE);
  for (; p + 16 <= high; p += 16) {
    const bits = <u32>i8x16.bitmask(i8x16.eq(v128.load(p), newline));
    if (bits) return p + ctz(bits);
  }
  while (p < high && load<u8>(p) != NEWLINE) p++;
  return p;
}
