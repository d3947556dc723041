// @ts-nocheck AssemblyScript
// Counts occurrences of a literal in candidate blocks, for each document, without a record of any.
import { readAhead } from "./ahead";
import { blockSegment, blockSpan, segmentDocument, segmentStart, SLICE, spanEnd } from "./blocks";
import { LAST_END, wordFlags, WORD_START } from "./literal";
import { find, NONE } from "./scan";

/** So many documents from this one on are counted; others may share their blocks. */
let first: u32 = 0, documents: u32 = 0;

/** Two u32 for each of them: occurrences at the start of a word, and others. */
@inline function add(counts: usize, document: u32, flags: u32): void {
  if (document - first >= documents) return;
  const at = counts + (<usize>(document - first) << 3) + (flags & WORD_START ? 0 : 4);
  store<u32>(at, load<u32>(at) + 1);
}

function countBlock(shard: usize, b: u32, base: u32, needle: usize, counts: usize): void {
  const length = <usize>load<u32>(needle), end = <usize>(segmentStart(shard, blockSegment(shard, b + 1)) + base);
  let s = blockSegment(shard, b), low = <usize>(segmentStart(shard, s) + base), high = <usize>(segmentStart(shard, s + 1) + base);
  for (let p = low; p < end;) {
    const hit = find(p, end, needle);
    if (hit == NONE) break;
    while (hit >= high) { s++; low = high; high = <usize>(segmentStart(shard, s + 1) + base); }
    p = hit + 1;
    if (hit + length > high) continue; // it would leave its document
    p = hit + length;
    add(counts, segmentDocument(shard, s), wordFlags(hit, p, low, high));
  }
}

/** Those that start in a slice; they may end in the next one. */
function countSlice(shard: usize, b: u32, base: u32, needle: usize, counts: usize): void {
  const s = blockSegment(shard, b), group = blockSpan(shard, b) & ~SLICE, length = <usize>load<u32>(needle);
  const low = <usize>(segmentStart(shard, blockSegment(shard, group)) + base), high = <usize>(segmentStart(shard, spanEnd(shard, group)) + base);
  const end = min(<usize>(segmentStart(shard, s + 1) + base) + length - 1, high);
  for (let p = <usize>(max(load<u32>(needle, LAST_END), segmentStart(shard, s)) + base); p < end;) {
    const hit = find(p, end, needle);
    if (hit == NONE) break;
    p = hit + length;
    store<u32>(needle, <u32>p - base, LAST_END);
    add(counts, segmentDocument(shard, s), wordFlags(hit, p, low, high));
  }
}

/** Counts in m blocks for the documents [from, to); bases as for scanLiteral. */
export function countLiteral(shard: usize, ids: usize, m: u32, bases: usize, needle: usize, counts: usize, from: u32, to: u32): void {
  first = from;
  documents = to - from;
  for (let k: u32 = 0; k < m; k++) {
    readAhead(shard, ids, k, m, bases, true);
    const b = load<u32>(ids + (<usize>k << 2)), base = load<u32>(bases + (<usize>k << 2));
    if (blockSegment(shard, b) == blockSegment(shard, b + 1)) continue; // a group: its slices follow
    if (blockSpan(shard, b) & SLICE) countSlice(shard, b, base, needle, counts);
    else countBlock(shard, b, base, needle, counts);
  }
}
