// @ts-nocheck AssemblyScript
// Posting lists: ascending block numbers.
// Short (n < 128 ids): varints, first the id, then gap - 1 for each further id.
// Long: a skip table of n / 128 + 1 entries, the payloads of the runs of 128 ids, and the other n % 128 ids (the tail) as varints.
//   An entry is {first id, payload offset << 1 | BITMAP}. A run is either a bitmap from its first id on, or varints of its other ids,
//   whichever is smaller. The last entry has the first id of the tail (NO_ID: no tail) and its offset.

const RUN: u32 = 128;
const RUN_BYTES: usize = 512;
const BITMAP: u32 = 1;
const NO_ID: u32 = 0xffffffff;

/* @inline */ function firstId(list: usize, run: u32): u32 {
  return load<u32>(list + ((<usize>run) << 3));
}
/* @inline */ function skipWord(list: usize, run: u32): u32 {
  return load<u32>(list + ((<usize>run) << 3), 4);
}
/* @inline */ function payload(list: usize, run: u32): usize {
  return list + <usize>(skipWord(list, run) >>> 1);
}
/* @inline */ function isBitmap(list: usize, run: u32): bool {
  return (skipWord(list, run) & BITMAP) !== 0;
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
  const first = firstId(list, run);
  if (isBitmap(list, run)) {
    bitmapToIds(payload(list, run), payload(list, run + 1), first, out);
    return;
  }
  store<u32>(out, first);
  decodeVarints(payload(list, run), RUN - 1, first, out + 4);
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

/** Writes the ids of a list that lie in [from, to). Returns their number. Needs room for 256 more ids. */
export function decodeRange(list: usize, n: u32, from: u32, to: u32, out: usize): u32 {
  const full = n / RUN,
    tail = n % RUN;
  let end = out,
    run: u32 = full ? seek(list, full, 0, from) : 0;
  for (; run < full && firstId(list, run) < to; run++) {
    decodeRun(list, run, end);
    end += RUN_BYTES;
  }
  if (run === full && tail) {
    decodeTail(list, full, tail, end);
    end += (<usize>tail) << 2;
  }
  let read = out;
  while (read < end && load<u32>(read) < from) read += 4;
  while (end > read && load<u32>(end - 4) >= to) end -= 4;
  if (read > out) memory.copy(out, read, end - read);
  return <u32>((end - read) >> 2);
}

/** Keeps those of m ascending ids that the list contains. Returns their number. `scratch` has room for 128 ids. */
export function intersect(ids: usize, m: u32, list: usize, n: u32, scratch: usize): u32 {
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
      decodeRun(list, run, scratch);
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

/** Writes n ids as varints: of each the gap - 1 to the one before. Returns the end. `previous` is NO_ID before the first. */
function encodeVarints(ids: usize, n: u32, previous: u32, out: usize): usize {
  for (const end = ids + ((<usize>n) << 2); ids < end; ids += 4) {
    const id = load<u32>(ids);
    let gap = id - previous - 1;
    previous = id;
    for (; gap >= 128; gap >>>= 7) store<u8>(out++, <u8>((gap & 127) | 128));
    store<u8>(out++, <u8>gap);
  }
  return out;
}

/** Encodes one run and its entry in the skip table. Returns the end of the payload. */
function encodeRun(run: usize, entry: usize, list: usize, out: usize): usize {
  const first = load<u32>(run),
    span = load<u32>(run + RUN_BYTES - 4) - first + 1,
    bitmapBytes = <usize>(((span + 31) >>> 5) << 2),
    end = encodeVarints(run + 4, RUN - 1, first, out),
    asBitmap = bitmapBytes <= end - out;
  store<u32>(entry, first);
  store<u32>(entry, ((<u32>(out - list)) << 1) | (asBitmap ? BITMAP : 0), 4);
  if (!asBitmap) return end;
  memory.fill(out, 0, bitmapBytes);
  setBits(run, RUN, first, out);
  return out + bitmapBytes;
}

/** Encodes n ascending ids. Returns the number of bytes, at most 5 n + 16 for ids below 2^28. */
export function encode(ids: usize, n: u32, out: usize): u32 {
  const full = n / RUN,
    tail = n % RUN,
    rest = ids + <usize>full * RUN_BYTES;
  if (!full) return <u32>(encodeVarints(ids, n, NO_ID, out) - out);
  const last = out + ((<usize>full) << 3);
  let p = last + 8;
  for (let r: u32 = 0; r < full; r++) p = encodeRun(ids + <usize>r * RUN_BYTES, out + ((<usize>r) << 3), out, p);
  store<u32>(last, tail ? load<u32>(rest) : NO_ID);
  store<u32>(last, (<u32>(p - out)) << 1, 4);
  if (tail) p = encodeVarints(rest + 4, tail - 1, load<u32>(rest), p);
  return <u32>(p - out);
}
