// @ts-nocheck AssemblyScript
// The pairs of words of a block: the last three bytes before a space between letters and the first two behind it, as one of 8,192 numbers. Trigrams tell
// that "failed", "to" and "parse" stand somewhere in a block, pairs that they stand side by side.
import { NUMBER_BITS, setBit, takeBitmap } from './bitmap';
import { isFrom } from './shapes';

/** Bytes of a bitmap for 16 pairs: so a third of its bits are set. */
const BYTES: u32 = 5;
const BEFORE: usize = 3, BEHIND: usize = 2;

@inline function letters(text: v128): v128 { return isFrom(97, 26, v128.or(text, i8x16.splat(32))); }

/** The number of the pair around a space, the same in any case; src/word-pairs.ts makes the same of what is searched. */
@inline function pairAt(space: usize): u32 {
  const before = (<u32>load<u8>(space - 3) & 31) << 20 | (<u32>load<u8>(space - 2) & 31) << 15 | (<u32>load<u8>(space - 1) & 31) << 10;
  return ((before | (<u32>load<u8>(space + 1) & 31) << 5 | <u32>load<u8>(space + 2) & 31) * 0x9e3779b1) >>> (32 - NUMBER_BITS);
}

/** Adds the pairs of the text [from, end) to those of a block, a bit each at `bits`. Reads up to 16 bytes past the end. */
export function addPairs(from: usize, end: usize, bits: usize): void {
  for (let p = from + BEFORE; p + BEHIND < end; p += 16) {
    const spaces = v128.and(i8x16.eq(v128.load(p), i8x16.splat(32)), v128.and(letters(v128.load(p - 1)), letters(v128.load(p + 1))));
    let found = <u32>i8x16.bitmask(spaces);
    if (end - BEHIND - p < 16) found &= (1 << <u32>(end - BEHIND - p)) - 1;
    for (; found; found &= found - 1) setBit(bits, pairAt(p + ctz(found)));
  }
}

/** Writes the bitmap of a block that has these pairs, and forgets them; returns its bytes. */
export function takePairs(bits: usize, out: usize): u32 { return takeBitmap(bits, out, BYTES); }

/** Keeps those of m blocks that may have a pair. Without a branch: so the bitmaps of many are fetched at once. */
function keepPair(shard: usize, ids: usize, m: u32, pair: u32): u32 {
  const starts = <usize>load<u32>(shard, 28), bitmaps = <usize>load<u32>(shard, 32), end = ids + (<usize>m << 2);
  let write = ids;
  for (let read = ids; read < end; read += 4) {
    const b = load<u32>(read), entry = starts + (<usize>b << 2), start = load<u32>(entry), bytes = load<u32>(entry, 4) - start;
    const bit = ((pair * bytes) << 3) >>> NUMBER_BITS;
    store<u32>(write, b);
    write += <usize>((load<u8>(bitmaps + start + (bit >>> 3)) >>> (bit & 7)) & <u32>(bytes != 0)) << 2;
  }
  return <u32>((write - ids) >> 2);
}

/** Keeps those of m blocks that may have all of n pairs; returns their number. */
export function keepPairs(shard: usize, ids: usize, m: u32, pairs: usize, n: u32): u32 {
  for (let i: u32 = 0; i < n; i++) m = keepPair(shard, ids, m, load<u32>(pairs + (<usize>i << 2)));
  return m;
}
