// @ts-nocheck AssemblyScript
// Regular expressions over candidate blocks, line by line.
// Record: u32 forward automaton | backward automaton | how lines are proposed | number of leads | leads[8] | next hits[8] | interrupted | wanted lines.
// interrupted is the content offset inside a line at which a full output stopped the scan, else 0.
import { readAhead } from './ahead';
import { find, findWindow, NONE } from './scan';
import { countNewlines, lineEnd, lineStart } from './lines';
import {
  blockSegment,
  blockSpan,
  isAllowed,
  segmentDocument,
  segmentLine,
  segmentStart,
  SLICE,
  spanEnd,
} from './blocks';
import { hasMatch, matchEnd, startOf } from './automaton';
import { endsWord, setScanned, WHOLE_WORD, wordFlags, writeMore, writeRecord } from './literal';
import { characterLength, hasHighByte, isUtf8, sanitise } from './utf8';
import { EVERY, isOver, isSpent, isTold, mostOfLine, takeLine, UNCOUNTED, wantsWords } from './wanted';

const RECORD: usize = 24;
const EVERY_LINE: u32 = 0,
  BY_WINDOW: u32 = 2; // else by literals
const LEADS: usize = 16,
  HITS: usize = 48,
  INTERRUPTED: usize = 80,
  WANTED: usize = 84;

/** Gives memory for a copy of a line. */
declare function room(bytes: u32): u32;

/** Forgets the hits of the last block: addresses say nothing in another one. */
function forgetHits(regex: usize): void {
  for (let i: u32 = 0; i < 8; i++) store<u32>(regex + ((<usize>i) << 2), 0, HITS);
}

/** First place in [p, end) whose line may match. */
function propose(regex: usize, p: usize, end: usize): usize {
  const how = load<u32>(regex, 8);
  if (how == EVERY_LINE) return p;
  if (how == BY_WINDOW) return findWindow(p, end, load<u32>(regex, LEADS));
  let nearest = NONE;
  for (let i: u32 = 0, n = load<u32>(regex, 12); i < n; i++) {
    const at = regex + ((<usize>i) << 2);
    let hit = <usize>load<u32>(at, HITS);
    if (hit < p) {
      hit = find(p, end, load<u32>(at, LEADS));
      store<u32>(at, <u32>hit, HITS);
    }
    if (hit < nearest) nearest = hit;
  }
  return nearest;
}

/** Address at which to read the line: its own, or that of a copy that is well-formed but for bytes 0xff. */
function readable(start: usize, stop: usize): usize {
  if (!hasHighByte(start, stop) || isUtf8(start, stop)) return start;
  const copy = <usize>room(<u32>(stop - start));
  sanitise(start, stop, copy);
  return copy;
}

/**
 * Writes the matches of the line [start, stop) from p on that are wanted. A line whose matches are all empty counts with the first of them; else
 * empty matches are left out. Returns the end of the records; The record says where it was interrupted when they were full.
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
  let empty = NONE,
    isResumed = p != start;
  p += shift;
  const begin = out,
    most = load<u32>(regex, WANTED),
    ofLine = mostOfLine(most);
  let inLine: u32 = 0;
  while (p <= end && inLine < ofLine) {
    if (out == full && p < end) {
      store<u32>(regex, <u32>(p - shift) - base, INTERRUPTED);
      return out;
    }
    const to = matchEnd(forward, p, text, end),
      isBeyond = wantsWords(most, inLine);
    if (to == NONE) break;
    if (isBeyond && to > p && !endsWord(to, end)) {
      p = to;
      continue;
    }
    const from = startOf(backward, p, to, text, end);
    if (from == to) {
      if (empty == NONE) empty = to;
      p = to + (to < end ? max<usize>(1, characterLength(to, end)) : 1);
      continue;
    }
    p = to;
    const flags = wordFlags(from, to, text, end);
    if (isBeyond && flags != WHOLE_WORD) continue;
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
  if (out > begin || isResumed || empty == NONE) return out;
  if (out == full) {
    store<u32>(regex, <u32>start - base, INTERRUPTED);
    return out;
  }
  const at = <u32>(empty - shift) - base;
  writeRecord(out, document, line, <u32>start - base, <u32>stop - base, at, at);
  return out + RECORD;
}

/** Lines from p on that match, up to `high` and to `most` of them; `end` is that of the block. */
function countLines(regex: usize, p: usize, high: usize, end: usize, most: u32): u32 {
  const every = load<u32>(regex, 8) == EVERY_LINE;
  let n: u32 = 0;
  while (p < high && n < most) {
    const hit = propose(regex, p, end);
    if (hit >= high) break;
    const start = every ? p : lineStart(hit, p),
      stop = lineEnd(hit, high),
      text = readable(start, stop);
    if (hasMatch(load<u32>(regex), text, text + (stop - start))) n++;
    p = stop + 1;
  }
  return n;
}

/** Scans the block, or what is left of it after an interruption. Returns the end of the records. */
function scanBlock(shard: usize, b: u32, base: u32, filter: usize, regex: usize, out: usize, full: usize): usize {
  const isGroup = blockSegment(shard, b) == blockSegment(shard, b + 1),
    every = load<u32>(regex, 8) == EVERY_LINE,
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
    if (hit == NONE) break;
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
    // Of such a line no more is written than there is room for.
    if (most != EVERY && out + mostOfLine(most) * RECORD > full) {
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

/** Searches m blocks line by line and writes a record per match; see scanLiteral. A call after a full output continues where it was. */
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
    readAhead(shard, ids, k, m, bases, false);
    if (blockSpan(shard, b) & SLICE) continue; // its group is searched as one line
    out = scanBlock(shard, b, load<u32>(bases + ((<usize>k) << 2)), filter, regex, out, full);
    if (load<u32>(regex, INTERRUPTED)) break;
  }
  setScanned(k);
  return <u32>((out - begin) / RECORD);
}
