// @ts-nocheck AssemblyScript

// Filters that say what a block (or a document) may contain, besides its trigrams.
//
// A Bloom filter holds hashes of 13 bits. While it is filled it has one bit per hash. The stored bitmap is scaled to the number
// of hashes in it: hash h is bit h * bits / 8192.
export const HASHES: u32 = 8192;
export const HASH_BITS: u32 = 13;

/* @inline */ export function setBit(bits: usize, n: u32): void {
  const a = bits + (n >>> 3);
  store<u8>(a, load<u8>(a) | <u8>((<u32>1) << (n & 7)));
}

/** Writes the bitmap, with `bytesOf16` bytes for 16 hashes, and clears the hashes. Returns its bytes. */
export function takeBitmap(bits: usize, out: usize, bytesOf16: u32): u32 {
  const end = bits + (HASHES >>> 3);
  let count: u32 = 0;
  for (let a = bits; a < end; a += 8) count += <u32>popcnt(load<u64>(a));
  const bytes = min((count * bytesOf16 + 15) >>> 4, HASHES >>> 3);
  memory.fill(out, 0, bytes);
  for (let a = bits, n: u32 = 0; a < end; a += 8, n += 64) {
    for (let word = load<u64>(a); word; word &= word - 1)
      setBit(out, (((n + <u32>ctz(word)) * bytes) << 3) >>> HASH_BITS);
  }
  memory.fill(bits, 0, HASHES >>> 3);
  return bytes;
}

// Character-class trigrams: the classes of three adjacent word bytes, first * 16 + second * 4 + third.
// The classes are upper-case letter (0), lower-case letter (1), digit (2) and _ (3). A block has a bit for each of the 64.
// They narrow expressions without a literal, such as [A-Z]{4,}_[a-z].

/** Whether each byte is in [first, first + count). A signed comparison, because SIMD has no cheap unsigned one. */
/* @inline */ export function isFrom(first: i32, count: i32, text: v128): v128 {
  return i8x16.lt_s(i8x16.add(text, i8x16.splat(<i8>(128 - first))), i8x16.splat(<i8>(count - 128)));
}

/** The class of each byte, or 128 for one outside words. */
/* @inline */ function classes(text: v128): v128 {
  const lower = isFrom(97, 26, text),
    upper = isFrom(65, 26, text),
    digit = isFrom(48, 10, text),
    low = i8x16.eq(text, i8x16.splat(95));
  const classOf = v128.or(
    v128.or(v128.and(lower, i8x16.splat(1)), v128.and(digit, i8x16.splat(2))),
    v128.and(low, i8x16.splat(3)),
  );
  return v128.or(classOf, v128.andnot(i8x16.splat(<i8>128), v128.or(v128.or(lower, upper), v128.or(digit, low))));
}

/* @inline */ function addRow(found: v128, out: usize): void {
  let all = <u64>i64x2.extract_lane(found, 0) | <u64>i64x2.extract_lane(found, 1);
  all |= all >>> 32;
  all |= all >>> 16;
  store<u8>(out, load<u8>(out) | <u8>(all | (all >>> 8)));
}

function addRows(rows: v128, bits: v128, out: usize): void {
  for (let row: i8 = 0; row < 8; row++) addRow(v128.and(bits, i8x16.eq(rows, i8x16.splat(row))), out + row);
}

/** Adds the character-class trigrams of the text [p, end) to the 64 bits at `out`. Reads up to 32 bytes past the end. */
export function addClassTrigrams(p: usize, end: usize, out: usize): void {
  const zero = i64x2.splat(0),
    bitOf = i8x16(1, 2, 4, 8, 16, 32, 64, <i8>128, 0, 0, 0, 0, 0, 0, 0, 0),
    lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  let known = v128.load64_zero(out),
    first = classes(v128.load(p));
  for (; p + 2 < end; p += 16) {
    const next = classes(v128.load(p, 16));
    const second = i8x16.shuffle(first, next, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    const third = i8x16.shuffle(first, next, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
    const isInside = i8x16.lt_s(lanes, i8x16.splat(<i8>min<usize>(16, end - 2 - p)));
    const isWord = v128.andnot(isInside, i8x16.lt_s(v128.or(first, v128.or(second, third)), zero));
    const odd = v128.and(second, i8x16.splat(1)),
      twice = i8x16.add(odd, odd);
    const bits = v128.and(isWord, i8x16.swizzle(bitOf, i8x16.add(i8x16.add(twice, twice), third)));
    const rows = i8x16.sub(i8x16.add(first, first), i8x16.gt_s(second, i8x16.splat(1)));
    // Most bits are set after a few lines, so the slow path is rare.
    if (v128.any_true(v128.andnot(bits, i8x16.swizzle(known, rows)))) {
      addRows(rows, bits, out);
      known = v128.load64_zero(out);
    }
    first = next;
  }
}

/** Keeps those of m blocks that have a member of each of n sets of character-class trigrams. Returns their number. */
export function keepClassTrigrams(shard: usize, ids: usize, m: u32, sets: usize, n: u32): u32 {
  const table = <usize>load<u32>(shard, 24);
  let write = ids;
  for (let k: u32 = 0; k < m; k++) {
    const b = load<u32>(ids + ((<usize>k) << 2)),
      classTrigrams = load<u64>(table + ((<usize>b) << 3));
    let i: u32 = 0;
    while (i < n && classTrigrams & load<u64>(sets + ((<usize>i) << 3))) i++;
    if (i < n) continue;
    store<u32>(write, b);
    write += 4;
  }
  return <u32>((write - ids) >> 2);
}

// Bigrams of words: a hash of the last three bytes before a space between letters and the first two after it.
// Trigrams tell that "failed", "to" and "parse" are in a block; bigrams tell that they stand side by side.

/** Bytes of the bitmap per 16 bigrams: a third of its bits are set. */
const BYTES: u32 = 5;
const BEFORE: usize = 3,
  BEHIND: usize = 2;

/* @inline */ function letters(text: v128): v128 {
  return isFrom(97, 26, v128.or(text, i8x16.splat(32)));
}

/** The hash of the bigram around a space, the same in any case. `bigramsOf` in postings/block-requirements.ts computes the same. */
/* @inline */ function bigramAt(space: usize): u32 {
  const before =
    ((<u32>load<u8>(space - 3) & 31) << 20) |
    ((<u32>load<u8>(space - 2) & 31) << 15) |
    ((<u32>load<u8>(space - 1) & 31) << 10);
  return (
    ((before | ((<u32>load<u8>(space + 1) & 31) << 5) | (<u32>load<u8>(space + 2) & 31)) * 0x9e3779b1) >>>
    (32 - HASH_BITS)
  );
}

/** Adds the bigrams of the text [from, end) to the hashes at `bits`. Reads up to 16 bytes past the end. */
export function addBigrams(from: usize, end: usize, bits: usize): void {
  for (let p = from + BEFORE; p + BEHIND < end; p += 16) {
    const spaces = v128.and(
      i8x16.eq(v128.load(p), i8x16.splat(32)),
      v128.and(letters(v128.load(p - 1)), letters(v128.load(p + 1))),
    );
    let found = <u32>i8x16.bitmask(spaces);
    const left = end - BEHIND - p;
    if (left < 16) found &= (1 << (<u32>left)) - 1;
    for (; found; found &= found - 1) setBit(bits, bigramAt(p + ctz(found)));
  }
}

/** Writes the bigram Bloom filter of a block and clears the hashes. Returns its bytes. */
export function takeBigrams(bits: usize, out: usize): u32 {
  return takeBitmap(bits, out, BYTES);
}

/** Keeps those of m blocks that may have a bigram. Branch-free, so the processor fetches many bitmaps at once. */
function keepBigram(shard: usize, ids: usize, m: u32, bigram: u32): u32 {
  const starts = <usize>load<u32>(shard, 28),
    bitmaps = <usize>load<u32>(shard, 32),
    end = ids + ((<usize>m) << 2);
  let write = ids;
  for (let read = ids; read < end; read += 4) {
    const b = load<u32>(read),
      entry = starts + ((<usize>b) << 2),
      start = load<u32>(entry),
      bytes = load<u32>(entry, 4) - start;
    const bit = ((bigram * bytes) << 3) >>> HASH_BITS;
    store<u32>(write, b);
    write += (<usize>((load<u8>(bitmaps + start + (bit >>> 3)) >>> (bit & 7)) & <u32>(bytes !== 0))) << 2;
  }
  return <u32>((write - ids) >> 2);
}

/** Keeps those of m blocks that may have all of n bigrams. Returns their number. */
export function keepBigrams(shard: usize, ids: usize, m: u32, bigrams: usize, n: u32): u32 {
  for (let i: u32 = 0; i < n; i++) m = keepBigram(shard, ids, m, load<u32>(bigrams + ((<usize>i) << 2)));
  return m;
}
