// @ts-nocheck AssemblyScript
import { blockSegment, segmentDocument } from './shard-tables';

// How many matching lines of each document are written as records; the others are only counted.
// A limit is: u32 lines per document | the current document | its lines so far | the last of them, if the caller sets it.

const DOCUMENT: usize = 4,
  SEEN: usize = 8;
export const LINE: usize = 12;
const NO_LINE: u32 = 0x7fffffff;
// Flags beside the number of lines. UNCOUNTED: further lines are not counted, one record says that there are some.
// WORDS: after the first matches of a line only whole words are written. WHOLE: a literal matches only as a whole word.
// EVERY, instead of a number and flags: all matches of all lines are written.
export const UNCOUNTED: u32 = 0x40000000,
  EVERY: u32 = 0xffffffff;
const WORDS: u32 = 0x20000000,
  WHOLE: u32 = 0x10000000,
  LINES: u32 = 0x0fffffff;
const MOST_OF_LINE: u32 = 8,
  MOST_WITH_WORDS: u32 = 72;
/** Marks a record that is not a match, but the number of further matching lines of a document. */
export const MORE: u32 = 0xffffffff;

/* @inline */ function enter(wanted: usize, document: u32): void {
  if (load<u32>(wanted, DOCUMENT) === document) return;
  store<u32>(wanted, document, DOCUMENT);
  store<u32>(wanted, 0, SEEN);
  store<u32>(wanted, NO_LINE, LINE);
}

/** Whether the limit of the document is reached. */
/* @inline */ export function isSpent(wanted: usize, document: u32): bool {
  enter(wanted, document);
  return load<u32>(wanted, SEEN) >= (load<u32>(wanted) & LINES);
}

/** Counts a line of the document. Returns whether it is within the limit. All lines beyond the limit count as one. */
/* @inline */ export function takeLine(wanted: usize, document: u32): bool {
  enter(wanted, document);
  const seen = load<u32>(wanted, SEEN),
    most = load<u32>(wanted) & LINES;
  if (seen <= most) store<u32>(wanted, seen + 1, SEEN);
  return seen < most;
}

/** Whether a record already says that the document has further lines, and they need not be counted. */
/* @inline */ export function isTold(wanted: usize, document: u32): bool {
  const most = load<u32>(wanted);
  return (
    (most & UNCOUNTED) !== 0 && load<u32>(wanted, SEEN) > (most & LINES) && load<u32>(wanted, DOCUMENT) === document
  );
}

/** Whether a block holds only text of such a document, so that it can be skipped. */
/* @inline */ export function isOver(shard: usize, b: u32, wanted: usize): bool {
  const s = blockSegment(shard, b);
  return blockSegment(shard, b + 1) === s + 1 && isTold(wanted, segmentDocument(shard, s));
}

/** The last line of the document, as the caller set it. */
/* @inline */ export function lastLine(wanted: usize, document: u32): u32 {
  return load<u32>(wanted, DOCUMENT) === document ? load<u32>(wanted, LINE) : NO_LINE;
}

/** Maximum number of matches of a line that are written. */
/* @inline */ export function mostOfLine(most: u32): u32 {
  if (most === EVERY) return EVERY;
  return most & WORDS ? MOST_WITH_WORDS : MOST_OF_LINE;
}

/** Whether only whole words of a line are still wanted after `inLine` matches. */
/* @inline */ export function wantsWords(most: u32, inLine: u32): bool {
  return inLine >= MOST_OF_LINE && most !== EVERY;
}

/** Whether only whole words are wanted. */
/* @inline */ export function wantsWhole(most: u32): bool {
  return most !== EVERY && (most & WHOLE) !== 0;
}
