// @ts-nocheck AssemblyScript
// Posting lists: ascending block numbers, in one of three encodings.
// Short (n < 128 ids): varints, first the id, then gap - 1 for each further id.
// Long: a skip table of n / 128 + 1 entries, the payloads of the runs of 128 ids, and the other n % 128 ids (the tail) as varints.
//   An entry is {first id, payload offset / 4 << 6 | kind}. Kind 0 to 32 is the bit width of 128 packed values gap - 1;
//   BITMAP is a run with one bit per block number. The last entry has the first id of the tail (NO_ID: no tail) and its offset.
// Dense: {id of the first bit, words << 6 | WHOLE} and one bitmap, where this is smaller than a long list.

const RUN: u32 = 128;
const RUN_BYTES: usize = 512;
const BITMAP: u32 = 63,
  WHOLE: u32 = 62;
const NO_ID: u32 = 0xffffffff;

/* @inline */ function firstId(list: usize, run: u32): u32 {
  return load<u32>(list + ((<usize>run) << 3));
}
/* @inline */ function skipWord(list: usize, run: u32): u32 {
  return load<u32>(list + ((<usize>run) << 3), 4);
}
/* @inline */ function payload(list: usize, run: u32): usize {
  return list + ((<usize>(skipWord(list, run) >>> 6)) << 2);
}
/* @inline */ function kind(list: usize, run: u32): u32 {
  return skipWord(list, run) & 63;
}

/** Decodes n varints. The ids continue after `previous`, which is NO_ID before the first. */
function decodeVarints(p: usize, n: u32, previous: u32, out: usize): void {
  for (let i: u32 = 0; i < n; i++) {
    let byte = <u32>load<u8>(p++),
      gap = byte & 127;
    for (let shift: u32 = 7; byte >= 128; shift += 7) {
      byte = load<u8>(p++);
      gap |= (byte & 127) << shift;
    }
    previous += gap + 1;
    store<u32>(out, previous);
    out += 4;
  }
}

/** Unpacks a run and sums its gaps. Four lanes hold four consecutive values; row r of a lane starts at bit r * width. */
function unpack(p: usize, width: u32, first: u32, out: usize): void {
  let carry = i32x4.splat(<i32>first),
    index = i32x4(0, 1, 2, 3);
  const four = i32x4.splat(4),
    end = out + RUN_BYTES;
  if (width === 0) {
    for (; out < end; out += 16) {
      v128.store(out, i32x4.add(carry, index));
      index = i32x4.add(index, four);
    }
    return;
  }
  const mask = i32x4.splat(<i32>(width === 32 ? <u32>-1 : ((<u32>1) << width) - 1));
  let bit: u32 = 0,
    word = v128.load(p);
  for (; out < end; out += 16) {
    let v = i32x4.shr_u(word, <i32>bit);
    bit += width;
    if (bit >= 32) {
      bit -= 32;
      p += 16;
      word = v128.load(p); // may read past the run: the file ends with padding
      if (bit) v = v128.or(v, i32x4.shl(word, <i32>(width - bit)));
    }
    v = v128.and(v, mask);
    v = i32x4.add(v, i8x16.shuffle(v, i32x4.splat(0), 16, 17, 18, 19, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    v = i32x4.add(v, i8x16.shuffle(v, i32x4.splat(0), 16, 17, 18, 19, 20, 21, 22, 23, 0, 1, 2, 3, 4, 5, 6, 7));
    v = i32x4.add(v, carry);
    v128.store(out, i32x4.add(v, index));
    index = i32x4.add(index, four);
    carry = i8x16.shuffle(v, v, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15, 12, 13, 14, 15);
  }
}

function bitmapToIds(p: usize, end: usize, first: u32, out: usize): u32 {
  const start = out;
  for (; p < end; p += 4, first += 32) {
    for (let bits = load<u32>(p); bits; bits &= bits - 1) {
      store<u32>(out, first + ctz(bits));
      out += 4;
    }
  }
  return <u32>((out - start) >> 2);
}

function decodeRun(list: usize, run: u32, out: usize): void {
  const k = kind(list, run);
  if (k === BITMAP) bitmapToIds(payload(list, run), payload(list, run + 1), firstId(list, run), out);
  else unpack(payload(list, run), k, firstId(list, run), out);
}

function decodeTail(list: usize, full: u32, tail: u32, out: usize): void {
  if (!full) {
    decodeVarints(list, tail, NO_ID, out);
    return;
  }
  const first = firstId(list, full); // only the skip table has the first id of the tail
  store<u32>(out, first);
  decodeVarints(payload(list, full), tail - 1, first, out + 4);
}

/** The last run from `run` on that starts at or before id: galloping, then binary search. `full` means the tail. */
function seek(list: usize, full: u32, run: u32, id: u32): u32 {
  if (run >= full || firstId(list, run + 1) > id) return run;
  if (firstId(list, full) <= id) return full;
  let step: u32 = 1,
    low = run + 1;
  while (low + step < full && firstId(list, low + step) <= id) {
    low += step;
    step <<= 1;
  }
  let high = min(low + step, full);
  while (low + 1 < high) {
    const mid = (low + high) >>> 1;
    if (firstId(list, mid) <= id) low = mid;
    else high = mid;
  }
  return low;
}

/* @inline */ function isWhole(list: usize, n: u32): bool {
  return n >= RUN && kind(list, 0) === WHOLE;
}
/* @inline */ function wholeBits(list: usize): u32 {
  return (skipWord(list, 0) >>> 6) << 5;
}

/** Writes the ids of a dense list that lie in [from, to). */
function decodeWhole(list: usize, from: u32, to: u32, out: usize): u32 {
  const first = firstId(list, 0),
    start: u32 = (max(from, first) - first) & ~31,
    end: u32 = min(max(to, first) - first, wholeBits(list));
  if (start >= end) return 0;
  return bitmapToIds(list + 8 + (start >>> 3), list + 8 + (((end + 31) >>> 5) << 2), first + start, out);
}

/** Writes the ids of a list that lie in [from, to). Returns their number. Needs room for 256 more ids. */
export function decodeRange(list: usize, n: u32, from: u32, to: u32, out: usize): u32 {
  let end = out;
  if (isWhole(list, n)) end += (<usize>decodeWhole(list, from, to, out)) << 2;
  else {
    const full = n / RUN,
      tail = n % RUN;
    let run: u32 = full ? seek(list, full, 0, from) : 0;
    for (; run < full && firstId(list, run) < to; run++) {
      decodeRun(list, run, end);
      end += RUN_BYTES;
    }
    if (run === full && tail) {
      decodeTail(list, full, tail, end);
      end += (<usize>tail) << 2;
    }
  }
  let read = out;
  while (read < end && load<u32>(read) < from) read += 4;
  while (end > read && load<u32>(end - 4) >= to) end -= 4;
  if (read > out) memory.copy(out, read, end - read);
  return <u32>((end - read) >> 2);
}

/** `intersect` with a dense list. Branch-free, because the outcome is hard to predict. */
function intersectWhole(ids: usize, m: u32, list: usize): u32 {
  const first = firstId(list, 0),
    bits = wholeBits(list),
    bitmap = list + 8;
  let write = ids;
  for (let read = ids, end = ids + ((<usize>m) << 2); read < end; read += 4) {
    const id = load<u32>(read),
      o = id - first,
      at = o < bits ? o : 0; // wraps to a huge value for ids before the bitmap
    store<u32>(write, id);
    write += (<usize>((load<u8>(bitmap + (at >>> 3)) >>> (at & 7)) & <u32>(o < bits))) << 2;
  }
  return <u32>((write - ids) >> 2);
}

/** Keeps those of m ascending ids that the list contains. Returns their number. `scratch` has room for 128 ids. */
export function intersect(ids: usize, m: u32, list: usize, n: u32, scratch: usize): u32 {
  if (isWhole(list, n)) return intersectWhole(ids, m, list);
  const full = n / RUN,
    tail = n % RUN,
    end = ids + ((<usize>m) << 2);
  let read = ids,
    write = ids,
    run: u32 = 0;
  while (read < end) {
    if (full) run = seek(list, full, run, load<u32>(read));
    let limit: u32 = NO_ID,
      have = scratch,
      haveEnd = scratch + RUN_BYTES;
    if (run < full) {
      limit = firstId(list, run + 1);
      if (kind(list, run) === BITMAP) {
        const first = firstId(list, run),
          bits = payload(list, run),
          span = (<u32>(payload(list, run + 1) - bits)) << 3;
        for (; read < end; read += 4) {
          const id = load<u32>(read),
            o = id - first; // wraps to a huge value for ids before the run
          if (id >= limit) break;
          if (o < span && (load<u8>(bits + (o >>> 3)) >>> (o & 7)) & 1) {
            store<u32>(write, id);
            write += 4;
          }
        }
        continue;
      }
      unpack(payload(list, run), kind(list, run), firstId(list, run), scratch);
    } else {
      if (!tail) break;
      decodeTail(list, full, tail, scratch);
      haveEnd = scratch + ((<usize>tail) << 2);
    }
    for (; read < end; read += 4) {
      const id = load<u32>(read);
      if (id >= limit) break;
      while (have < haveEnd && load<u32>(have) < id) have += 4;
      if (have < haveEnd && load<u32>(have) === id) {
        store<u32>(write, id);
        write += 4;
      }
    }
    if (run >= full) break;
  }
  return <u32>((write - ids) >> 2);
}

/** Sets the bits of m ids; bit 0 is id `from`. */
export function setBits(ids: usize, m: u32, from: u32, bitmap: usize): void {
  for (const end = ids + ((<usize>m) << 2); ids < end; ids += 4) {
    const bit = load<u32>(ids) - from,
      a = bitmap + (bit >>> 3);
    store<u8>(a, load<u8>(a) | <u8>((<u32>1) << (bit & 7)));
  }
}

/** Writes the ids of the set bits of a bitmap of `bytes` (a multiple of 4). Returns their number. */
export function takeBits(bitmap: usize, bytes: u32, from: u32, out: usize): u32 {
  return bitmapToIds(bitmap, bitmap + bytes, from, out);
}

/** The values gap - 1 before four ids; 0 for the first id of a run. */
/* @inline */ function gapsAt(run: usize, a: usize): v128 {
  const gaps = i32x4.sub(i32x4.sub(v128.load(a), v128.load(a - 4)), i32x4.splat(1));
  return a === run ? i32x4.replace_lane(gaps, 0, 0) : gaps;
}

/** The reverse of `unpack`. */
function packRun(run: usize, width: u32, out: usize): void {
  let word = i32x4.splat(0),
    bit: u32 = 0;
  for (let a = run, end = run + RUN_BYTES; a < end; a += 16) {
    const gaps = gapsAt(run, a);
    word = v128.or(word, i32x4.shl(gaps, <i32>bit));
    bit += width;
    if (bit < 32) continue;
    v128.store(out, word);
    out += 16;
    bit -= 32;
    word = bit ? i32x4.shr_u(gaps, <i32>(width - bit)) : i32x4.splat(0);
  }
}

/** Encodes one run and its entry in the skip table. Returns the end of the payload. */
function encodeRun(run: usize, entry: usize, list: usize, out: usize): usize {
  const first = load<u32>(run),
    span = load<u32>(run + 508) - first + 1;
  let all = i32x4.splat(0);
  for (let a = run, end = run + RUN_BYTES; a < end; a += 16) all = v128.or(all, gapsAt(run, a));
  const most = <u64>i64x2.extract_lane(all, 0) | <u64>i64x2.extract_lane(all, 1);
  const width: u32 = 32 - <u32>clz(<u32>(most | (most >>> 32))),
    bitmapBytes = ((span + 31) >>> 5) << 2,
    asBitmap = bitmapBytes <= width << 4;
  store<u32>(entry, first);
  store<u32>(entry, ((<u32>((out - list) >> 2)) << 6) | (asBitmap ? BITMAP : width), 4);
  if (!asBitmap) {
    packRun(run, width, out);
    return out + ((<usize>width) << 4);
  }
  memory.fill(out, 0, bitmapBytes);
  setBits(run, RUN, first, out);
  return out + bitmapBytes;
}

/** Encodes n ascending ids as a short or long list. Returns the number of bytes. */
function encodeRuns(ids: usize, n: u32, out: usize): u32 {
  const full = n / RUN,
    tail = n % RUN,
    rest = ids + <usize>full * RUN_BYTES;
  let p = out + (full ? (<usize>full + 1) << 3 : 0),
    previous: u32 = NO_ID,
    i: u32 = 0;
  for (let r: u32 = 0; r < full; r++) p = encodeRun(ids + <usize>r * RUN_BYTES, out + ((<usize>r) << 3), out, p);
  if (full) {
    const entry = out + ((<usize>full) << 3);
    if (tail) {
      previous = load<u32>(rest);
      i = 1;
    }
    store<u32>(entry, previous);
    store<u32>(entry, (<u32>((p - out) >> 2)) << 6, 4);
  }
  for (; i < tail; i++) {
    const id = load<u32>(rest + ((<usize>i) << 2));
    let gap = id - previous - 1;
    previous = id;
    for (; gap >= 128; gap >>>= 7) store<u8>(p++, <u8>((gap & 127) | 128));
    store<u8>(p++, <u8>gap);
  }
  return <u32>(p - out);
}

/** Encodes n ascending ids in the smallest encoding. Returns the number of bytes, at most 5 n + 16. */
export function encode(ids: usize, n: u32, out: usize): u32 {
  const bytes = encodeRuns(ids, n, out),
    first: u32 = load<u32>(ids) & ~31,
    words: u32 = ((load<u32>(ids + ((<usize>(n - 1)) << 2)) - first) >>> 5) + 1;
  if (n < RUN || (words << 2) + 8 > bytes) return bytes;
  store<u32>(out, first);
  store<u32>(out, (words << 6) | WHOLE, 4);
  memory.fill(out + 8, 0, (<usize>words) << 2);
  setBits(ids, n, first, out + 8);
  return (words << 2) + 8;
}
