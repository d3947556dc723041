// @ts-nocheck AssemblyScript
// How many lines of each document are written; others are only counted.
// Record: u32 lines of a document | the document that was looked at last | how many of its lines were found | the last of them, where who looks tells it.
import { blockSegment, segmentDocument } from "./blocks";

const DOCUMENT: usize = 4, SEEN: usize = 8;
export const LINE: usize = 12;
const NO_LINE: u32 = 0x7fffffff;
// Beside the number of lines: that of others it is only said that there are some; that of a line whole words are written besides its first matches;
// that a literal is wanted only where it is a whole word.
// Instead of it: all are written.
export const UNCOUNTED: u32 = 0x40000000, EVERY: u32 = 0xffffffff;
const WORDS: u32 = 0x20000000, WHOLE: u32 = 0x10000000, LINES: u32 = 0x0fffffff;
const MOST_OF_LINE: u32 = 8, MOST_WITH_WORDS: u32 = 72;
/** Marks a record that says, instead of a match, how many more lines of a document match. */
export const MORE: u32 = 0xffffffff;

@inline function enter(wanted: usize, document: u32): void {
  if (load<u32>(wanted, DOCUMENT) == document) return;
  store<u32>(wanted, document, DOCUMENT);
  store<u32>(wanted, 0, SEEN);
  store<u32>(wanted, NO_LINE, LINE);
}

/** Whether as many lines of a document as are wanted were written. */
@inline export function isSpent(wanted: usize, document: u32): bool {
  enter(wanted, document);
  return load<u32>(wanted, SEEN) >= (load<u32>(wanted) & LINES);
}

/** Counts a line of the document, or those that are not written as one; whether it is one of those that are. */
@inline export function takeLine(wanted: usize, document: u32): bool {
  enter(wanted, document);
  const seen = load<u32>(wanted, SEEN), most = load<u32>(wanted) & LINES;
  if (seen <= most) store<u32>(wanted, seen + 1, SEEN);
  return seen < most;
}

/** Whether it is said already of a document that there are more lines, which are not counted. */
@inline export function isTold(wanted: usize, document: u32): bool {
  const most = load<u32>(wanted);
  return (most & UNCOUNTED) != 0 && load<u32>(wanted, SEEN) > (most & LINES) && load<u32>(wanted, DOCUMENT) == document;
}

/** Whether a block has nothing but text of such a document. */
@inline export function isOver(shard: usize, b: u32, wanted: usize): bool {
  const s = blockSegment(shard, b);
  return blockSegment(shard, b + 1) == s + 1 && isTold(wanted, segmentDocument(shard, s));
}

/** The line of a document that was told last. */
@inline export function lastLine(wanted: usize, document: u32): u32 {
  return load<u32>(wanted, DOCUMENT) == document ? load<u32>(wanted, LINE) : NO_LINE;
}

/** Most matches of a line that are written. */
@inline export function mostOfLine(most: u32): u32 {
  if (most == EVERY) return EVERY;
  return most & WORDS ? MOST_WITH_WORDS : MOST_OF_LINE;
}

/** Whether of a line of which so many are written only whole words are wanted from then on. */
@inline export function wantsWords(most: u32, inLine: u32): bool { return inLine >= MOST_OF_LINE && most != EVERY; }

/** Whether nothing but whole words is wanted. */
@inline export function wantsWhole(most: u32): bool { return most != EVERY && (most & WHOLE) != 0; }
