// @ts-nocheck AssemblyScript
// Runs lazily built dfas over the bytes of one line. A row holds a u32 per byte class and one for the end of the line:
// the offset of the next row | MATCH when a match ends (or, backwards, starts) before this byte | DEAD when none can follow,
// or UNKNOWN. The host owns the rows and fills them in when asked; it may then start its table over, so no offset is kept.
// Record: u32 table | classes (256 u16: class * 4) | end class * 4 | first row at the border of the line, after a word byte, after another
// | of a backward one that has too many rows, an automaton for matches that start where it begins to read; else 0
import { NONE } from "./scan";

const UNKNOWN: u32 = 0xffffffff, MATCH: u32 = 0x80000000, DEAD: u32 = 0x40000000, OFFSET: u32 = 0x3fffffff;
const FUEL: usize = 1 << 22;
let steps: usize = 0;

/** Fills in a missing entry and returns it. */
declare function miss(automaton: u32, row: u32, column: u32): u32;
/** Lets the host stop the search: it may throw. */
declare function checkpoint(): void;

@inline function isWordByte(c: u32): bool { return (c | 32) - 97 < 26 || c - 48 < 10 || c == 95; }
@inline function firstRow(automaton: usize, isBorder: bool, neighbour: usize): u32 {
  if (isBorder) return load<u32>(automaton, 12);
  return isWordByte(load<u8>(neighbour)) ? load<u32>(automaton, 16) : load<u32>(automaton, 20);
}
@inline function entryOf(automaton: usize, row: u32, column: u32): u32 {
  const entry = load<u32>(load<u32>(automaton) + row + column);
  return entry == UNKNOWN ? miss(<u32>automaton, row, column) : entry;
}
@inline function classOf(automaton: usize, p: usize): u32 { return <u32>load<u16>(<usize>load<u32>(automaton, 4) + (<usize>load<u8>(p) << 1)); }
@inline function spend(bytes: usize): void {
  steps += bytes;
  if (steps > FUEL) { steps = 0; checkpoint(); }
}

/** End of the leftmost match that starts at or after p in the line [low, end), or all ones. */
export function matchEnd(automaton: usize, p: usize, low: usize, end: usize): usize {
  const table = <usize>load<u32>(automaton), classes = <usize>load<u32>(automaton, 4);
  let row = firstRow(automaton, p == low, p - 1), last = NONE;
  spend(end - p);
  for (; p < end; p++) {
    const column = <u32>load<u16>(classes + (<usize>load<u8>(p) << 1));
    let next = load<u32>(table + row + column);
    if (next >= DEAD) {
      if (next == UNKNOWN) next = miss(<u32>automaton, row, column);
      if (next & MATCH) last = p;
      if (next & DEAD) return last;
      next &= OFFSET;
    }
    row = next;
  }
  return entryOf(automaton, row, load<u32>(automaton, 8)) & MATCH ? end : last;
}

/** Whether anything in the line [p, end) matches. */
export function hasMatch(automaton: usize, p: usize, end: usize): bool {
  const table = <usize>load<u32>(automaton), classes = <usize>load<u32>(automaton, 4);
  let row = firstRow(automaton, true, p);
  spend(end - p);
  for (; p < end; p++) {
    const column = <u32>load<u16>(classes + (<usize>load<u8>(p) << 1));
    let next = load<u32>(table + row + column);
    if (next >= DEAD) {
      if (next == UNKNOWN) next = miss(<u32>automaton, row, column);
      if (next & MATCH) return true;
      if (next & DEAD) return false;
    }
    row = next;
  }
  return (entryOf(automaton, row, load<u32>(automaton, 8)) & MATCH) != 0;
}

const STARTS_TRIED: usize = 16;

/** The same as matchStart: where a backward automaton has too many rows, the first places are tried forwards before. */
export function startOf(automaton: usize, from: usize, q: usize, low: usize, end: usize): usize {
  const anchored = <usize>load<u32>(automaton, 24);
  if (anchored) {
    for (let p = from, last = min(q, from + STARTS_TRIED); p <= last; p++) if (matchEnd(anchored, p, low, end) != NONE) return p;
  }
  return matchStart(automaton, from, q, low, end);
}

/** Leftmost start, not before `from`, of a match that ends at q in the line [low, end). */
export function matchStart(automaton: usize, from: usize, q: usize, low: usize, end: usize): usize {
  const table = <usize>load<u32>(automaton), classes = <usize>load<u32>(automaton, 4);
  let row = firstRow(automaton, q == end, q), first = q;
  spend(q - from);
  for (let p = q; p > from; p--) {
    const column = <u32>load<u16>(classes + (<usize>load<u8>(p - 1) << 1));
    let next = load<u32>(table + row + column);
    if (next >= DEAD) {
      if (next == UNKNOWN) next = miss(<u32>automaton, row, column);
      if (next & MATCH) first = p;
      if (next & DEAD) return first;
      next &= OFFSET;
    }
    row = next;
  }
  const column = from == low ? load<u32>(automaton, 8) : classOf(automaton, from - 1);
  return entryOf(automaton, row, column) & MATCH ? from : first;
}
