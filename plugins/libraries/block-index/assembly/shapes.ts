// @ts-nocheck AssemblyScript
// The shape of three adjacent bytes of words: whether each is an upper-case letter (0), a lower-case one (1), a digit (2) or _ (3).
// A block has a bit for each of the 64 shapes: first * 16 + second * 4 + third. So expressions without a literal are told where to look.

/** Whether each byte is one of so many from the first on; signed, because unsigned bytes take three times as long to compare. */
@inline export function isFrom(first: i32, count: i32, text: v128): v128 {
  return i8x16.lt_s(i8x16.add(text, i8x16.splat(<i8>(128 - first))), i8x16.splat(<i8>(count - 128)));
}

/** 0 to 3, or 128 for a byte that belongs to no word. */
@inline function kinds(text: v128): v128 {
  const lower = isFrom(97, 26, text), upper = isFrom(65, 26, text), digit = isFrom(48, 10, text), low = i8x16.eq(text, i8x16.splat(95));
  const kind = v128.or(v128.or(v128.and(lower, i8x16.splat(1)), v128.and(digit, i8x16.splat(2))), v128.and(low, i8x16.splat(3)));
  return v128.or(kind, v128.andnot(i8x16.splat(<i8>128), v128.or(v128.or(lower, upper), v128.or(digit, low))));
}

@inline function addRow(found: v128, out: usize): void {
  let all = <u64>i64x2.extract_lane(found, 0) | <u64>i64x2.extract_lane(found, 1);
  all |= all >>> 32;
  all |= all >>> 16;
  store<u8>(out, load<u8>(out) | <u8>(all | all >>> 8));
}

function addRows(rows: v128, bits: v128, out: usize): void {
  for (let row: i8 = 0; row < 8; row++) addRow(v128.and(bits, i8x16.eq(rows, i8x16.splat(row))), out + row);
}

/** Adds the shapes of the text [p, end) to the 8 bytes at `out`. Reads up to 32 bytes past the end. */
export function addShapes(p: usize, end: usize, out: usize): void {
  const zero = i64x2.splat(0), bitOf = i8x16(1, 2, 4, 8, 16, 32, 64, <i8>128, 0, 0, 0, 0, 0, 0, 0, 0), lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  let known = v128.load64_zero(out), first = kinds(v128.load(p));
  for (; p + 2 < end; p += 16) {
    const next = kinds(v128.load(p, 16));
    const second = i8x16.shuffle(first, next, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    const third = i8x16.shuffle(first, next, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17);
    const isInside = i8x16.lt_s(lanes, i8x16.splat(<i8>min<usize>(16, end - 2 - p)));
    const isWord = v128.andnot(isInside, i8x16.lt_s(v128.or(first, v128.or(second, third)), zero));
    const odd = v128.and(second, i8x16.splat(1)), twice = i8x16.add(odd, odd);
    const bits = v128.and(isWord, i8x16.swizzle(bitOf, i8x16.add(i8x16.add(twice, twice), third)));
    const rows = i8x16.sub(i8x16.add(first, first), i8x16.gt_s(second, i8x16.splat(1)));
    // Soon a block has most of the shapes that it will have.
    if (v128.any_true(v128.andnot(bits, i8x16.swizzle(known, rows)))) {
      addRows(rows, bits, out);
      known = v128.load64_zero(out);
    }
    first = next;
  }
}

/** Keeps those of m blocks that have a shape of each of n sets of them; returns their number. */
export function keepShapes(shard: usize, ids: usize, m: u32, sets: usize, n: u32): u32 {
  const table = <usize>load<u32>(shard, 24);
  let write = ids;
  for (let k: u32 = 0; k < m; k++) {
    const b = load<u32>(ids + (<usize>k << 2)), shapes = load<u64>(table + (<usize>b << 3));
    let i: u32 = 0;
    while (i < n && (shapes & load<u64>(sets + (<usize>i << 3)))) i++;
    if (i < n) continue;
    store<u32>(write, b);
    write += 4;
  }
  return <u32>((write - ids) >> 2);
}
