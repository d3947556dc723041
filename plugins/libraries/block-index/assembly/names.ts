// @ts-nocheck AssemblyScript
// The names that a document may define: words behind a keyword (`func name`), those before a parenthesis where a line begins with a modifier
// (`public void name(`) or at its first column (`static int name(`, `name(int`), and those that begin a line and are given a function
// (`name = (`) or a signature (`name :: Type`).
// What is no such definition after all may be among them, none that is one is left out.
// A name is four of 8,192 numbers: two are the same in any case, two are of the name as it stands. Where a line is long all its words
// count; where it is a comment none does.
// Signs: bits of the last three letters of keywords (32,768) | of keywords | of the first four letters of modifiers | of what may stand
// before a keyword (4,096 each), all by their hashes | eight keywords of types | eight words that follow names: eight letters of each.
import { NUMBER_BITS, setBit, takeBitmap } from './bitmap';
import { isBehindKeyword, isEnding, SIGN_BITS } from './keywords';
import { at, hashOf, isIn, isSpace, spacesEnd, wordEnd } from './letters';
import { lineEnd } from './lines';
import { isWord } from './literal';
import { isFrom } from './shapes';

const MODIFIERS: usize = 4608;
const LONG: usize = 512;
/** Bytes of a bitmap for 16 numbers: so a fifth of its bits are set. */
const BYTES: u32 = 8;

/** Of a word as it stands. */
function exactHashOf(p: usize, end: usize): u32 {
  let hash: u32 = 0;
  for (; p < end; p++) hash = (hash ^ at(p)) * 0x01000193;
  return hash * 0x85ebca6b;
}

@inline function isModifier(p: usize, signs: usize): bool { return isIn(signs + MODIFIERS, ((load<u32>(p) | 0x20202020) * 0x9e3779b1) >>> (32 - SIGN_BITS)); }

@inline function noteHash(hash: u32, names: usize): void {
  setBit(names, hash >>> 19);
  setBit(names, (hash >>> 6) & 8191);
}

function note(p: usize, end: usize, names: usize): void {
  noteHash(hashOf(p, end), names);
  noteHash(exactHashOf(p, end), names);
}

function noteAll(p: usize, end: usize, names: usize): void {
  while (p < end) {
    const q = min(wordEnd(p), end);
    if (q > p) note(p, q, names);
    p = q + 1;
  }
}

@inline function wordsOf(text: v128): v128 {
  const letters = isFrom(97, 26, v128.or(text, i8x16.splat(32)));
  return v128.or(v128.or(letters, isFrom(48, 10, text)), i8x16.eq(text, i8x16.splat(95)));
}

/** What may stand before the name in `public static Map<String, int[]> name(`, and in `std::string *type::name(`. */
@inline function isOfType(c: u32): bool {
  return isSpace(c) || c == 60 || c == 62 || c == 44 || c == 58 || c == 42 || c == 38 || c == 91 || c == 93 || c == 46 || c == 63 || c == 126;
}

function noteFunctions(start: usize, low: usize, names: usize): void {
  for (let p = low; ; ) {
    const end = wordEnd(p);
    if (end > p) {
      const next = at(spacesEnd(end));
      if ((p > low || low == start) && (next == 40 || next == 60)) note(p, end, names);
    } else if (!isOfType(at(p++))) return;
    p = max(p, end);
  }
}

/** Whether a function may begin here: by its word, a parenthesis, or `name =>`. */
function isFunction(p: usize): bool {
  if (at(p) == 40) return true;
  if ((load<u64>(p) | 0x2020202020202020) == 0x6e6f6974636e7566) return true;
  const end = wordEnd(p), next = spacesEnd(end);
  return end > p && at(next) == 61 && at(next + 1) == 62;
}

/** Whether what begins here gives a function: `= (`, `: Type = async x =>`, `: function`, `:: Type`. */
function givesFunction(p: usize): bool {
  if (at(p) == 58) {
    if (isFunction(spacesEnd(p + 1)) || (at(p + 1) == 58 && isSpace(at(p + 2)))) return true;
    if (at(p + 1) == 61) return false;
    while (at(p) != 61) if (at(p++) == 10) return false;
  }
  if (at(p) != 61) return false;
  const value = spacesEnd(p + 1);
  if (isFunction(value)) return true;
  const isAsync = (load<u32>(value) | 0x20202020) == 0x6e797361 && (at(value + 4) | 32) == 99;
  return isAsync && isFunction(spacesEnd(value + 5));
}

/** Notes the last word of `a.b.c` at p where it is given a function. */
function noteValue(p: usize, names: usize): void {
  let name = p, end = p;
  for (; isWord(at(end)) || at(end) == 46; end++) if (at(end) == 46) name = end + 1;
  if (end > name && givesFunction(spacesEnd(end))) note(name, end, names);
}

/** Whether a word begins the line at p, behind which a value may be given. */
@inline function mayGiveValue(p: usize): bool {
  const text = v128.load(p), words = <u32>i8x16.bitmask(v128.or(wordsOf(text), i8x16.eq(text, i8x16.splat(46))));
  const end = ctz(~words), after = <u32>i8x16.bitmask(v128.or(v128.or(i8x16.eq(text, i8x16.splat(32)), isFrom(9, 5, text)), text)) >>> end;
  const sign = end + ctz(~after);
  return sign > 15 || at(p + sign) == 58 || at(p + sign) == 61 || (end == 6 && at(p) == 101);
}

function noteValues(low: usize, names: usize): void {
  noteValue(low, names);
  const isExport = (load<u64>(low) & 0xffffffffffff) == 0x74726f707865;
  if (isExport && isSpace(at(low + 6))) noteValue(spacesEnd(low + 6), names);
}

/** Whether a line is all comment: `//`, `* `, `-- `, or `# ` without `define`. */
function isComment(p: usize): bool {
  const c = at(p), next = at(p + 1);
  if (c == 47) return next == 47;
  if (c == 42) return isSpace(next);
  if (c == 45) return next == 45 && isSpace(at(p + 2));
  return c == 35 && isSpace(next) && (load<u64>(spacesEnd(p + 1)) & 0x1f1f1f1f1f1f) != 0x50e09060504;
}

/** Adds the names of the line that begins here, and returns its end. Reads up to 32 bytes past it, and three before. */
function addLine(start: usize, signs: usize, names: usize): usize {
  // A byte order mark is not shown.
  if ((load<u32>(start) & 0xffffff) == 0xbfbbef) start += 3;
  const low = spacesEnd(start);
  if (isComment(low)) return lineEnd(low, usize.MAX_VALUE);
  let parentheses: u32 = 0, values: u32 = 0, high = low;
  for (let isOver = false; !isOver; high += 16) {
    const text = v128.load(high), next = v128.load(high, 1), newlines = <u32>i8x16.bitmask(i8x16.eq(text, i8x16.splat(10)));
    const inside = (newlines - 1) & ~newlines & 0xffff;
    if (high > low + LONG) {
      high = lineEnd(high, usize.MAX_VALUE);
      noteAll(low, high, names);
      return high;
    }
    parentheses |= <u32>i8x16.bitmask(i8x16.eq(text, i8x16.splat(40))) & inside;
    values |= <u32>i8x16.bitmask(isFrom(58, 4, text)) & inside;
    const gap = v128.or(v128.or(i8x16.eq(text, i8x16.splat(32)), i8x16.eq(text, i8x16.splat(42))), isFrom(9, 5, text));
    for (let found = <u32>i8x16.bitmask(v128.and(gap, wordsOf(next))) & inside; found; found &= found - 1) {
      const name = high + ctz(found) + 1, before = at(name - 2);
      // Mostly it is a letter, and no keyword ends with it.
      if ((before <= 42 || before >= 128 || isEnding(name - 1, signs)) && isBehindKeyword(name, start, low, signs)) note(name, wordEnd(name), names);
    }
    if (newlines) {
      high += ctz(newlines) - 16;
      isOver = true;
    }
  }
  const first = at(low), isTyped = parentheses && low == start && (isWord(first) || first == 58 || first == 126);
  if (isTyped || ((parentheses | values) && isModifier(low, signs))) noteFunctions(start, low, names);
  if (values && mayGiveValue(low)) noteValues(low, names);
  return high;
}

/** Adds the names that the lines of a document, the text [p, end), may define, to bits at `names`; its last line is copied to `room` where nothing ends it. */
export function addNames(p: usize, end: usize, signs: usize, names: usize, room: usize): void {
  let last = end;
  while (last > p && at(last - 1) != 10) last--;
  while (p < last) p = addLine(p, signs, names) + 1;
  if (end - last > LONG) noteAll(last, end, names);
  else if (end > last) {
    memory.copy(room, last, end - last);
    store<u8>(room + (end - last), 10);
    addLine(room, signs, names);
  }
}

/** Writes the bitmap of a document that has these names, and forgets them; returns its bytes. */
export function takeNames(names: usize, out: usize): u32 { return takeBitmap(names, out, BYTES); }

/** Adds to bits at `out` the documents whose bitmaps, which stand behind their starts, have all `count` numbers. */
export function addDefining(starts: usize, documents: u32, numbers: usize, count: u32, out: usize): void {
  const bitmaps = starts + ((documents + 1) << 2), last = numbers + (count << 2);
  for (let document: u32 = 0; document < documents; document++, starts += 4) {
    const start = load<u32>(starts), bits = (load<u32>(starts, 4) - start) << 3;
    let p = bits ? numbers : last + 4;
    for (; p < last; p += 4) if (!isIn(bitmaps + start, (load<u32>(p) * bits) >>> NUMBER_BITS)) break;
    if (p == last) setBit(out, document);
  }
}
