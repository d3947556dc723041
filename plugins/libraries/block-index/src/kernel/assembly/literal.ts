// @ts-nocheck AssemblyScript
import { isOver, lastLine, LINE, MORE, mostOfLine, takeLine, UNCOUNTED, wantsWhole, wantsWords } from './line-limits';
import {
  blockSegment,
  blockSpan,
  CLOSED,
  documentSegment,
  isAllowed,
  segmentDocument,
  segmentLine,
  segmentStart,
  SLICE,
  spanEnd,
} from './shard-tables';
import { countNewlines, find, lineEnd, lineStart, NONE } from './text';

// Literal search in candidate blocks. A match lies within one document, and matches do not overlap.

const RECORD: usize = 24;
// Offset in the needle: the content offset after its last match. A match that runs into the next slice must not overlap another.
export const LAST_END: usize = 12;
// Offset in the needle of its line limit. The last line is COUNTED if it is a long line that was counted, not written.
const WANTED: usize = 2064;
const COUNTED: u32 = 0x80000000;
export const WORD_START: u32 = 0x80000000;
const WORD_END: u32 = 0x40000000;
export const WHOLE_WORD: u32 = WORD_START | WORD_END;

/** How many blocks the last scan finished. */
export let scanned: u32 = 0;
export function setScanned(k: u32): void {
  scanned = k;
}
/** The content offset at which the last scan of a document stopped. */
export let resumeAt: u32 = 0;

/* @inline */ export function isWord(c: u32): bool {
  return (c | 32) - 97 < 26 || c - 48 < 10 || c === 95 || c >= 128;
}

/** Whether a non-empty match that ends at q ends at a word boundary. */
/* @inline */ export function endsWord(q: usize, high: usize): bool {
  return q >= high || !isWord(load<u8>(q)) || !isWord(load<u8>(q - 1));
}

/** Whether [p, q) begins and ends at a word boundary, as flags. Does not read outside [low, high). */
export function wordFlags(p: usize, q: usize, low: usize, high: usize): u32 {
  if (q <= p) return 0;
  let flags: u32 = 0;
  if (p <= low || !isWord(load<u8>(p - 1)) || !isWord(load<u8>(p))) flags = WORD_START;
  if (endsWord(q, high)) flags |= WORD_END;
  return flags;
}

/** Writes a match: document, line number | word flags, line start, line end, match start, match end (content offsets). */
export function writeRecord(out: usize, document: u32, line: u32, start: u32, end: u32, from: u32, to: u32): void {
  store<u32>(out, document);
  store<u32>(out, line, 4);
  store<u32>(out, start, 8);
  store<u32>(out, end, 12);
  store<u32>(out, from, 16);
  store<u32>(out, to, 20);
}

/** Writes how many further lines match. Returns the end of the records. */
export function writeMore(out: usize, document: u32, lines: u32): usize {
  writeRecord(out, document, lines, MORE, MORE, MORE, MORE);
  return out + RECORD;
}

/** Number of lines with a match, from this match on. */
function countLines(hit: usize, high: usize, needle: usize): u32 {
  let n: u32 = 0;
  for (; hit !== NONE; hit = find(lineEnd(hit, high), high, needle)) n++;
  return n;
}

/** Writes the matches in an ordinary block, which has whole lines. Returns the end of the records. */
function scanLines(shard: usize, b: u32, base: u32, filter: usize, needle: usize, out: usize): usize {
  const length = <usize>load<u32>(needle),
    end = <usize>(segmentStart(shard, blockSegment(shard, b + 1)) + base);
  let s = blockSegment(shard, b),
    low = <usize>(segmentStart(shard, s) + base),
    high = <usize>(segmentStart(shard, s + 1) + base);
  const wanted = needle + WANTED,
    most = load<u32>(wanted),
    ofLine = mostOfLine(most),
    isWhole = wantsWhole(most);
  let line = segmentLine(shard, s),
    counted = low,
    start = low,
    stop = low,
    inLine: u32 = 0;
  for (let p = low; p < end; ) {
    const hit = find(p, end, needle);
    if (hit === NONE) break;
    if (hit >= high) {
      while (hit >= high) {
        s++;
        high = <usize>(segmentStart(shard, s + 1) + base);
      }
      counted = low = stop = <usize>(segmentStart(shard, s) + base);
      line = segmentLine(shard, s);
    }
    if (hit + length > high) {
      p = hit + 1;
      continue;
    } // it would leave its document
    if (!isAllowed(filter, segmentDocument(shard, s))) {
      p = high;
      continue;
    }
    if (isWhole && wordFlags(hit, hit + length, low, high) !== WHOLE_WORD) {
      p = hit + length;
      continue;
    }
    if (hit >= stop) {
      if (!takeLine(wanted, segmentDocument(shard, s))) {
        out = writeMore(out, segmentDocument(shard, s), most & UNCOUNTED ? 1 : countLines(hit, high, needle));
        p = stop = high;
        continue;
      }
      start = lineStart(hit, low);
      stop = lineEnd(hit, high);
      line += countNewlines(counted, start);
      counted = start;
      inLine = 0;
    }
    if (inLine >= ofLine) {
      p = stop;
      continue;
    }
    p = hit + length;
    const flags = wordFlags(hit, p, low, high);
    if (wantsWords(most, inLine) && flags !== WHOLE_WORD) continue;
    inLine++;
    writeRecord(
      out,
      segmentDocument(shard, s),
      line | flags,
      <u32>start - base,
      <u32>stop - base,
      <u32>hit - base,
      <u32>p - base,
    );
    out += RECORD;
  }
  return out;
}

/** Writes the matches that start in a slice of a long line; they may end in the next slice. Returns the end of the records. */
function scanSlice(shard: usize, b: u32, base: u32, needle: usize, out: usize): usize {
  const s = blockSegment(shard, b),
    group = blockSpan(shard, b) & ~SLICE,
    length = <usize>load<u32>(needle),
    wanted = needle + WANTED;
  const begin = segmentStart(shard, blockSegment(shard, group)),
    close = segmentStart(shard, spanEnd(shard, group));
  const stop = close - (blockSpan(shard, group) & CLOSED ? 1 : 0),
    high = <usize>(close + base);
  const end = min(<usize>(segmentStart(shard, s + 1) + base) + length - 1, high),
    document = segmentDocument(shard, s);
  const isWhole = wantsWhole(load<u32>(wanted));
  let last = lastLine(wanted, document);
  if (last === (segmentLine(shard, s) | COUNTED)) return out;
  for (let p = <usize>(max(load<u32>(needle, LAST_END), segmentStart(shard, s)) + base); p < end; ) {
    const hit = find(p, end, needle);
    if (hit === NONE) break;
    p = hit + length;
    const flags = wordFlags(hit, p, <usize>(begin + base), high);
    if (isWhole && flags !== WHOLE_WORD) continue;
    if (last !== segmentLine(shard, s)) {
      const isTaken = takeLine(wanted, document);
      last = segmentLine(shard, s);
      store<u32>(wanted, isTaken ? last : last | COUNTED, LINE);
      if (!isTaken) return writeMore(out, document, 1);
    }
    store<u32>(needle, <u32>p - base, LAST_END);
    writeRecord(out, document, segmentLine(shard, s) | flags, begin, stop, <u32>hit - base, <u32>p - base);
    out += RECORD;
  }
  return out;
}

/**
 * Searches m blocks for a needle without newlines and writes a record per match.
 * bases[k] is what to add (modulo 2^32) to a content offset of block ids[k] to get its address.
 * Stops before a block whose matches might not fit; `scanned` is the number of blocks before it.
 */
export function scanLiteral(
  shard: usize,
  ids: usize,
  m: u32,
  bases: usize,
  filter: usize,
  needle: usize,
  out: usize,
  capacity: u32,
): u32 {
  const begin = out,
    full = out + <usize>capacity * RECORD,
    length = load<u32>(needle);
  for (scanned = 0; scanned < m; scanned++) {
    const b = load<u32>(ids + ((<usize>scanned) << 2));
    if (isOver(shard, b, needle + WANTED)) continue;
    const base = load<u32>(bases + ((<usize>scanned) << 2));
    const s = blockSegment(shard, b),
      end = blockSegment(shard, b + 1);
    if (s === end) continue; // a group: its slices follow
    const most = (segmentStart(shard, end) - segmentStart(shard, s)) / length + 1;
    if (out + <usize>most * RECORD > full) break;
    if (!(blockSpan(shard, b) & SLICE)) out = scanLines(shard, b, base, filter, needle, out);
    else if (isAllowed(filter, segmentDocument(shard, s))) out = scanSlice(shard, b, base, needle, out);
  }
  return <u32>((out - begin) / RECORD);
}

/** Searches one document from a content offset for a needle with newlines. When the records are full it stops at `resumeAt`. */
export function scanDocument(
  shard: usize,
  document: u32,
  from: u32,
  base: u32,
  needle: usize,
  out: usize,
  capacity: u32,
): u32 {
  const first = documentSegment(shard, document),
    length = <usize>load<u32>(needle);
  const low = <usize>(segmentStart(shard, first) + base),
    high = <usize>(segmentStart(shard, documentSegment(shard, document + 1)) + base);
  let n: u32 = 0,
    line: u32 = 0,
    counted = low,
    p = <usize>(from + base);
  for (; n < capacity; n++) {
    const hit = find(p, high, needle);
    if (hit === NONE) {
      p = high;
      break;
    }
    const start = lineStart(hit, low),
      stop = lineEnd(hit, high);
    line += countNewlines(counted, start);
    counted = start;
    p = hit + length;
    writeRecord(
      out,
      document,
      line | wordFlags(hit, p, low, high),
      <u32>start - base,
      <u32>stop - base,
      <u32>hit - base,
      <u32>p - base,
    );
    out += RECORD;
  }
  resumeAt = <u32>p - base;
  return n;
}
