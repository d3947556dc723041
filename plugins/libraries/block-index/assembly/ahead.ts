// @ts-nocheck AssemblyScript
// A search that reads one block after another waits for the memory at the beginning of each. A line of the cache of each of four blocks in turn
// is asked for at once: so the text of four comes in the time of two.
import { blockSegment, blockSpan, segmentStart, SLICE } from './blocks';

const TOGETHER: u32 = 4;
const LINE: usize = 64;

/** What was read. Else the compiler would leave the reading out. */
let seen: u32 = 0;

@inline function blockAt(ids: usize, k: u32): u32 { return load<u32>(ids + (<usize>k << 2)); }

/** Bytes of a block that are read there: none of a group, whose slices follow, and none of slices where groups are. */
@inline function sizeOf(shard: usize, b: u32, wantsSlices: bool): usize {
  if (!wantsSlices && blockSpan(shard, b) & SLICE) return 0;
  return segmentStart(shard, blockSegment(shard, b + 1)) - segmentStart(shard, blockSegment(shard, b));
}

/** Where its text is; of one that is not read anything that is there. */
@inline function placeOf(shard: usize, b: u32, base: u32, size: usize): usize {
  return size ? <usize>(segmentStart(shard, blockSegment(shard, b)) + base) : shard;
}

/** Brings the text of block k of m and of those after it near the processor, where k is the first of as many. */
export function readAhead(shard: usize, ids: usize, k: u32, m: u32, bases: usize, wantsSlices: bool): void {
  if (k % TOGETHER) return;
  const last = m - 1, l = min(k + 1, last), n = min(k + 2, last), o = min(k + 3, last);
  const sizeA = sizeOf(shard, blockAt(ids, k), wantsSlices), a = placeOf(shard, blockAt(ids, k), blockAt(bases, k), sizeA);
  const sizeB = sizeOf(shard, blockAt(ids, l), wantsSlices), b = placeOf(shard, blockAt(ids, l), blockAt(bases, l), sizeB);
  const sizeC = sizeOf(shard, blockAt(ids, n), wantsSlices), c = placeOf(shard, blockAt(ids, n), blockAt(bases, n), sizeC);
  const sizeD = sizeOf(shard, blockAt(ids, o), wantsSlices), d = placeOf(shard, blockAt(ids, o), blockAt(bases, o), sizeD);
  const most = max(max(sizeA, sizeB), max(sizeC, sizeD));
  let sum: u32 = 0;
  for (let at: usize = 0; at < most; at += LINE)
    sum += load<u8>(a + min(at, sizeA)) + load<u8>(b + min(at, sizeB)) + load<u8>(c + min(at, sizeC)) + load<u8>(d + min(at, sizeD));
  seen = sum;
}
