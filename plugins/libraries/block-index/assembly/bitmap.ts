// @ts-nocheck AssemblyScript
// Sets of some of 8,192 numbers: while they are made a bit each, then a bitmap as large as they are many, in which number n is bit n * bits / 8192.
export const NUMBERS: u32 = 8192;
export const NUMBER_BITS: u32 = 13;

@inline export function setBit(bits: usize, n: u32): void {
  const a = bits + (n >>> 3);
  store<u8>(a, load<u8>(a) | <u8>(<u32>1 << (n & 7)));
}

/** Writes the bitmap of a set, of so many bytes for 16 numbers, and empties the set; returns the bytes. */
export function takeBitmap(bits: usize, out: usize, bytesOf16: u32): u32 {
  const end = bits + (NUMBERS >>> 3);
  let count: u32 = 0;
  for (let a = bits; a < end; a += 8) count += <u32>popcnt(load<u64>(a));
  const bytes = min((count * bytesOf16 + 15) >>> 4, NUMBERS >>> 3);
  memory.fill(out, 0, bytes);
  for (let a = bits, n: u32 = 0; a < end; a += 8, n += 64) {
    for (let word = load<u64>(a); word; word &= word - 1) setBit(out, ((n + <u32>ctz(word)) * bytes << 3) >>> NUMBER_BITS);
  }
  memory.fill(bits, 0, NUMBERS >>> 3);
  return bytes;
}
