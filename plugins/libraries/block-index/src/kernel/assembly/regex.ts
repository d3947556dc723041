// @ts-nocheck AssemblyScript
import { EVERY, isOver, isSpent, isTold, mostOfLine, takeLine, UNCOUNTED, wantsWords } from './line-limits';
import { endsWord, setScanned, WHOLE_WORD, wordFlags, writeMore, writeRecord } from './literal';
import {
  blockSegment,
  blockSpan,
  isAllowed,
  segmentDocument,
  segmentLine,
  segmentStart,
  SLICE,
  spanEnd,
} from './shard-tables';
import {
  characterLength,
  countNewlines,
  find,
  findWindow,
  hasHighByte,
  isUtf8,
  lineEnd,
  lineStart,
  NONE,
  sanitise,
} from './text';

// Lazy DFAs over the bytes of one line. A row (state) has a u32 per byte class and one for the end of the line:
// the offset of the next row, | MATCH if a match ends (backwards: starts) before this byte, | DEAD if no match can follow; or UNKNOWN.
// The host (regex/lazy-dfa.ts) owns the rows and fills in entries on demand. It may then clear the table, so no offset is kept.
// A DFA is: u32 table | classes (256 u16: class * 4) | end class * 4 | start row at the border of the line, after a word byte,
// after another byte | for a backward DFA that has too many rows, a DFA for matches that start where it begins to read; else 0.

const UNKNOWN: u32 = 0xffffffff,
  MATCH: u32 = 0x80000000,
  DEAD: u32 = 0x40000000,
  OFFSET: u32 = 0x3fffffff;
const FUEL: usize = 1 << 22;
let steps: usize = 0;

/** Asks the host to fill in an entry, and returns it. */
declare function miss(dfa: u32, row: u32, column: u32): u32;
/** Gives the host the chance to stop the search by throwing. */
declare function checkpoint(): void;

/* @inline */ function isWordByte(c: u32): bool {
  return (c | 32) - 97 < 26 || c - 48 < 10 || c === 95;
}
/* @inline */ function firstRow(dfa: usize, isBorder: bool, neighbour: usize): u32 {
  if (isBorder) return load<u32>(dfa, 12);
  return isWordByte(load<u8>(neighbour)) ? load<u32>(dfa, 16) : load<u32>(dfa, 20);
}
/* @inline */ function entryOf(dfa: usize, row: u32, column: u32): u32 {
  const entry = load<u32>(load<u32>(dfa) + row + column);
  return entry === UNKNOWN ? miss(<u32>dfa, row, column) : entry;
}
/* @inline */ function classOf(dfa: usize, p: usize): u32 {
  return <u32>load<u16>(<usize>load<u32>(dfa, 4) + ((<usize>load<u8>(p)) << 1));
}
/* @inline */ function spend(bytes: usize): void {
  steps += bytes;
  if (steps > FUEL) {
    steps = 0;
    checkpoint();
  }
}

/** End of the leftmost match that starts at or after p in the line [low, end), or NONE. */
export function matchEnd(dfa: usize, p: usize, low: usize, end: usize): usize {
  const table = <usize>load<u32>(dfa),
    classes = <usize>load<u32>(dfa, 4);
  let row = firstRow(dfa, p === low, p - 1),
    last = NONE;
  spend(end - p);
  for (; p < end; p++) {
    const column = <u32>load<u16>(classes + ((<usize>load<u8>(p)) << 1));
    let next = load<u32>(table + row + column);
    if (next >= DEAD) {
      if (next === UNKNOWN) next = miss(<u32>dfa, row, column);
      if (next & MATCH) last = p;
      if (next & DEAD) return last;
      next &= OFFSET;
    }
    row = next;
  }
  return entryOf(dfa, row, load<u32>(dfa, 8)) & MATCH ? end : last;
}

const STARTS_TRIED: usize = 16;

/** The same as matchStart. Where the backward DFA has too many rows it tries the first positions with the forward one before. */
export function startOf(dfa: usize, from: usize, q: usize, low: usize, end: usize): usize {
  const anchored = <usize>load<u32>(dfa, 24);
  if (anchored) {
    for (let p = from, last = min(q, from + STARTS_TRIED); p <= last; p++)
      if (matchEnd(anchored, p, low, end) !== NONE) return p;
  }
  return matchStart(dfa, from, q, low, end);
}

/** Start of the leftmost match that begins at or after `from` and ends at q, in the line [low, end). */
export function matchStart(dfa: usize, from: usize, q: usize, low: usize, end: usize): usize {
  const table = <usize>load<u32>(dfa),
    classes = <usize>load<u32>(dfa, 4);
  let row = firstRow(dfa, q === end, q),
    first = q;
  spend(q - from);
  for (let p = q; p > from; p--) {
    const column = <u32>load<u16>(classes + ((<usize>load<u8>(p - 1)) << 1));
    let next = load<u32>(table + row + column);
    if (next >= DEAD) {
      if (next === UNKNOWN) next = miss(<u32>dfa, row, column);
      if (next & MATCH) first = p;
      if (next & DEAD) return first;
      next &= OFFSET;
    }
    row = next;
  }
  const column = from === low ? load<u32>(dfa, 8) : classOf(dfa, from - 1);
  return entryOf(dfa, row, column) & MATCH ? from : first;
}

// Regular expressions in candidate blocks, line by line. A prefilter proposes lines, and the DFAs match them.
// An expression is: u32 forward DFA | backward DFA | kind of prefilter | number of needles | needles[8] | next hits[8] | interrupted | line limit.
// `interrupted` is the content offset inside a line at which full records stopped the scan, else 0.

const RECORD: usize = 24;
const EVERY_LINE: u32 = 0,
  BY_WINDOW: u32 = 2; // else by literals
const NEEDLES: usize = 16,
  HITS: usize = 48,
  INTERRUPTED: usize = 80,
  WANTED: usize = 84;

/** Asks the host for memory for a copy of a line. */
declare function room(bytes: u32): u32;

/** Clears the next hits: they are addresses in the last block. */
function forgetHits(regex: usize): void {
  for (let i: u32 = 0; i < 8; i++) store<u32>(regex + ((<usize>i) << 2), 0, HITS);
}

/** First position in [p, end) whose line may match, by the prefilter. */
function propose(regex: usize, p: usize, end: usize): usize {
  const how = load<u32>(regex, 8);
  if (how === EVERY_LINE) return p;
  if (how === BY_WINDOW) return findWindow(p, end, load<u32>(regex, NEEDLES));
  let nearest = NONE;
  for (let i: u32 = 0, n = load<u32>(regex, 12); i < n; i++) {
    const at = regex + ((<usize>i) << 2);
    let hit = <usize>load<u32>(at, HITS);
    if (hit < p) {
      hit = find(p, end, load<u32>(at, NEEDLES));
      store<u32>(at, <u32>hit, HITS);
    }
    if (hit < nearest) nearest = hit;
  }
  return nearest;
}

/** Address of the line, or of a copy in which 0xff replaces the bytes outside well-formed characters. */
function readable(start: usize, stop: usize): usize {
  if (!hasHighByte(start, stop) || isUtf8(start, stop)) return start;
  const copy = <usize>room(<u32>(stop - start));
  sanitise(start, stop, copy);
  return copy;
}

/**
 * Writes the wanted matches of the line [start, stop) from p on. Returns the end of the records.
 * If all matches of the line are empty it writes the first of them, else empty matches are left out.
 * When the records are full it sets `interrupted`.
 */
function scanLine(
  regex: usize,
  document: u32,
  line: u32,
  start: usize,
  stop: usize,
  p: usize,
  base: u32,
  out: usize,
  full: usize,
): usize {
  const forward = <usize>load<u32>(regex),
    backward = <usize>load<u32>(regex, 4),
    text = readable(start, stop),
    shift = text - start,
    end = stop + shift;
  const isResumed = p !== start;
  let empty = NONE;
  p += shift;
  const begin = out,
    most = load<u32>(regex, WANTED),
    ofLine = mostOfLine(most);
  let inLine: u32 = 0;
  while (p <= end && inLine < ofLine) {
    if (out === full && p < end) {
      store<u32>(regex, <u32>(p - shift) - base, INTERRUPTED);
      return out;
    }
    const to = matchEnd(forward, p, text, end),
      isBeyond = wantsWords(most, inLine);
    if (to === NONE) break;
    if (isBeyond && to > p && !endsWord(to, end)) {
      p = to;
      continue;
    }
    const from = startOf(backward, p, to, text, end);
    if (from === to) {
      if (empty === NONE) empty = to;
      p = to + (to < end ? max<usize>(1, characterLength(to, end)) : 1);
      continue;
    }
    p = to;
    const flags = wordFlags(from, to, text, end);
    if (isBeyond && flags !== WHOLE_WORD) continue;
    inLine++;
    writeRecord(
      out,
      document,
      line | flags,
      <u32>start - base,
      <u32>stop - base,
      <u32>(from - shift) - base,
      <u32>(to - shift) - base,
    );
    out += RECORD;
  }
  if (out > begin || isResumed || empty === NONE) return out;
  if (out === full) {
    store<u32>(regex, <u32>start - base, INTERRUPTED);
    return out;
  }
  const at = <u32>(empty - shift) - base;
  writeRecord(out, document, line, <u32>start - base, <u32>stop - base, at, at);
  return out + RECORD;
}

/** Number of matching lines in [p, high), at most `most`. `end` is the end of the block. */
function countLines(regex: usize, p: usize, high: usize, end: usize, most: u32): u32 {
  const every = load<u32>(regex, 8) === EVERY_LINE;
  let n: u32 = 0;
  while (p < high && n < most) {
    const hit = propose(regex, p, end);
    if (hit >= high) break;
    const start = every ? p : lineStart(hit, p),
      stop = lineEnd(hit, high),
      text = readable(start, stop);
    if (matchEnd(load<u32>(regex), text, text, text + (stop - start)) !== NONE) n++;
    p = stop + 1;
  }
  return n;
}

/** Scans a block, or the rest of it after an interruption. Returns the end of the records. */
function scanBlock(shard: usize, b: u32, base: u32, filter: usize, regex: usize, out: usize, full: usize): usize {
  const isGroup = blockSegment(shard, b) === blockSegment(shard, b + 1),
    every = load<u32>(regex, 8) === EVERY_LINE,
    wanted = regex + WANTED,
    most = load<u32>(wanted);
  let s = blockSegment(shard, b),
    low = <usize>(segmentStart(shard, s) + base);
  const end = <usize>(segmentStart(shard, spanEnd(shard, b)) + base);
  let high = isGroup ? end : <usize>(segmentStart(shard, s + 1) + base),
    line = segmentLine(shard, s),
    counted = low,
    p = low;
  let resumed = <usize>load<u32>(regex, INTERRUPTED);
  if (resumed) {
    p = resumed += base;
    store<u32>(regex, 0, INTERRUPTED);
  }
  forgetHits(regex);
  while (p < end || resumed) {
    const hit = resumed ? resumed : propose(regex, p, end);
    if (hit === NONE) break;
    if (hit >= high && high < end) {
      while (hit >= high) {
        s++;
        high = <usize>(segmentStart(shard, s + 1) + base);
      }
      counted = low = <usize>(segmentStart(shard, s) + base);
      line = segmentLine(shard, s);
    }
    const document = segmentDocument(shard, s);
    if (!isAllowed(filter, document) || isTold(wanted, document)) {
      p = high;
      continue;
    }
    const start = resumed ? lineStart(resumed, low) : every ? p : lineStart(hit, max(low, p)),
      stop = lineEnd(hit, high);
    line += countNewlines(counted, start);
    counted = start;
    // A line with a limit of matches is written as a whole.
    if (most !== EVERY && out + mostOfLine(most) * RECORD > full) {
      store<u32>(regex, <u32>start - base, INTERRUPTED);
      return out;
    }
    if (isSpent(wanted, document)) {
      const more = countLines(regex, start, high, end, most & UNCOUNTED ? 1 : EVERY);
      if (more) {
        takeLine(wanted, document);
        out = writeMore(out, document, more);
      }
      p = high;
      resumed = 0;
      continue;
    }
    const before = out;
    out = scanLine(regex, document, line, start, stop, resumed ? resumed : start, base, out, full);
    if (load<u32>(regex, INTERRUPTED)) return out;
    if (out > before) takeLine(wanted, document);
    resumed = 0;
    p = stop < high ? stop + 1 : high;
  }
  return out;
}

/** Searches m blocks line by line and writes a record per match; see scanLiteral. After full records the next call continues. */
export function scanRegex(
  shard: usize,
  ids: usize,
  m: u32,
  bases: usize,
  filter: usize,
  regex: usize,
  out: usize,
  capacity: u32,
): u32 {
  const begin = out,
    full = out + <usize>capacity * RECORD;
  let k: u32 = 0;
  for (; k < m; k++) {
    const b = load<u32>(ids + ((<usize>k) << 2));
    if (isOver(shard, b, regex + WANTED)) continue;
    if (blockSpan(shard, b) & SLICE) continue; // its group is searched as one line
    out = scanBlock(shard, b, load<u32>(bases + ((<usize>k) << 2)), filter, regex, out, full);
    if (load<u32>(regex, INTERRUPTED)) break;
  }
  setScanned(k);
  return <u32>((out - begin) / RECORD);
}
