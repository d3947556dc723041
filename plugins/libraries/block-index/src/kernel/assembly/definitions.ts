// @ts-nocheck AssemblyScript
import { isWord } from './literal';
import { lineEnd } from './text';

// The names that a document may define, for its definition Bloom filter. It may find too many names, never too few.
// A name is: a word after a keyword (`func name`); a word before a parenthesis where the line begins with a modifier
// (`public void name(`) or in its first column (`static int name(`, `name(int`); a word that begins a line and is given a
// function (`name = (`) or a signature (`name :: Type`). In a line over LONG bytes every word counts, in a comment none.
// A name has four hashes of 13 bits: two ignore case, two do not.
//
// `signs` is what the kernel knows of the keywords: bits of hashes of the last three letters of keywords (32,768) | of keywords |
// of the first four letters of modifiers | of leaders (4,096 each) | eight type keywords | eight words after names, eight letters each.
// definitions/definition-filter.ts writes it.

// While the filter of a document is filled it has one bit per hash. In the stored bitmap hash h is bit h * bits / 8192.
const HASHES: u32 = 8192;
const HASH_BITS: u32 = 13;

/* @inline */ function setBit(bits: usize, n: u32): void {
  const a = bits + (n >>> 3);
  store<u8>(a, load<u8>(a) | <u8>((<u32>1) << (n & 7)));
}

/** Whether each byte is in [first, first + count). A signed comparison, because SIMD has no cheap unsigned one. */
/* @inline */ function isFrom(first: i32, count: i32, text: v128): v128 {
  return i8x16.lt_s(i8x16.add(text, i8x16.splat(<i8>(128 - first))), i8x16.splat(<i8>(count - 128)));
}

// Characters. Every line ends with a newline, which is neither a word character nor a space, so these functions stop there.

/* @inline */ export function at(p: usize): u32 {
  return load<u8>(p);
}
/** Bytes beyond ASCII may be spaces. */
/* @inline */ export function isSpace(c: u32): bool {
  return c === 32 || (c - 9 < 5 && c !== 10) || c >= 128;
}
/* @inline */ export function isLetter(c: u32): bool {
  return (c | 32) - 97 < 26;
}
/* @inline */ export function isWordOfASCII(c: u32): bool {
  return c < 128 && isWord(c);
}
/* @inline */ export function isIn(bits: usize, n: u32): bool {
  return ((load<u8>(bits + (n >>> 3)) >>> (n & 7)) & 1) !== 0;
}

/** The hash of a word, ignoring case. `hashOf` in definitions/definition-filter.ts computes the same. */
export function hashOf(p: usize, end: usize): u32 {
  let hash: u32 = 0;
  for (; p < end; p++) hash = (hash ^ (at(p) | 32)) * 0x01000193;
  return hash * 0x9e3779b1;
}

/* @inline */ export function wordEnd(p: usize): usize {
  while (isWord(at(p))) p++;
  return p;
}

/* @inline */ export function spacesEnd(p: usize): usize {
  while (isSpace(at(p))) p++;
  return p;
}

// Keywords. A keyword defines the next word if it begins its line or follows a sign, an annotation or another word of
// definitions (`export default function name`), and if that word is not the use of a type (`struct node *next`).

const KEYWORDS: usize = 4096,
  LEADERS: usize = 5120,
  TYPES: usize = 5632,
  AFTER_NAMES: usize = 5696;
const ENDING_BITS: u32 = 15;
/** Bits of a word's hash in `signs`. */
export const WORD_BITS: u32 = 12;

/* @inline */ function isKeyword(p: usize, end: usize, signs: usize): bool {
  return isIn(signs + KEYWORDS, hashOf(p, end) >>> (32 - WORD_BITS));
}
/* @inline */ function isLeader(p: usize, end: usize, signs: usize): bool {
  return isIn(signs + LEADERS, hashOf(p, end) >>> (32 - WORD_BITS));
}
/** Whether the three letters before p may end a keyword. */
/* @inline */ export function isEnding(p: usize, signs: usize): bool {
  return isIn(signs, (((load<u32>(p - 4) >>> 8) | 0x202020) * 0x9e3779b1) >>> (32 - ENDING_BITS));
}

/** Whether the parenthesis at p closes the receiver of a function: `func (r *T)`. */
function closesReceiver(start: usize, p: usize): bool {
  if ((load<u32>(start) | 0x20202020) !== 0x636e7566) return false;
  let q = spacesEnd(start + 4);
  if (at(q) !== 40) return false;
  while (q < p && at(q) !== 41) q++;
  return q === p;
}

/** Signs after which, and a space, a definition may begin: ( ) [ ] { } < > ; = & | ! " # */
/* @inline */ function isSign(c: u32): bool {
  return (
    c === 40 ||
    c === 41 ||
    c === 91 ||
    c === 93 ||
    c === 123 ||
    c === 125 ||
    c === 60 ||
    c === 62 ||
    c === 59 ||
    c === 61 ||
    c === 38 ||
    c === 124 ||
    c - 33 < 3
  );
}

/** Whether a definition may begin with the keyword at p: no prose stands before it. */
function mayBegin(p: usize, low: usize, signs: usize): bool {
  if (p > low && !isSpace(at(p - 1))) return isSign(at(p - 1));
  for (;;) {
    while (p > low && isSpace(at(p - 1))) p--;
    if (p === low) return true;
    const end = p;
    while (p > low && isWordOfASCII(at(p - 1))) p--;
    const isLed = p === end || isLeader(p, end, signs);
    if (p < end && isLed && (p === low || isSpace(at(p - 1)))) continue;
    if (p > low && isLed && isSign(at(p - 1))) return true;
    // An annotation: `@app.route`.
    while (p > low && (isWordOfASCII(at(p - 1)) || at(p - 1) === 46)) p--;
    return p < end && p > low && at(p - 1) === 64;
  }
}

function isListed(p: usize, end: usize, list: usize): bool {
  const size = <u32>(end - p);
  const letters = (load<u64>(p) | 0x2020202020202020) & (size < 8 ? ((<u64>1) << (size << 3)) - 1 : <u64>-1);
  const listEnd = list + 64;
  for (; list < listEnd; list += 8) if (load<u64>(list) === letters) return true;
  return false;
}

/** Whether the name at p is the use of a type: a pointer, the end of a list, or another name follows. */
function isType(p: usize, signs: usize): bool {
  while (isWordOfASCII(at(p))) p++;
  let next = p;
  while (at(next) < 128 && isSpace(at(next))) next++;
  const behind = at(next);
  if (behind === 42 || behind === 38 || behind === 41 || behind === 44) return true;
  let end = next;
  while (isWordOfASCII(at(end))) end++;
  return next > p && end > next && !isListed(next, end, signs + AFTER_NAMES);
}

/** Whether a keyword may define the word at p. */
export function isBehindKeyword(p: usize, start: usize, low: usize, signs: usize): bool {
  let end = p;
  while (end > low && (isSpace(at(end - 1)) || at(end - 1) === 42)) end--;
  if (end < low + 2) return false;
  const last = at(end - 1);
  if (last === 33) return true; // macro_rules!
  if (last === 41) return closesReceiver(start, end - 1);
  if (!isEnding(end, signs)) return false;
  let first = end;
  while (first > low && isLetter(at(first - 1))) first--;
  if (!isKeyword(first, end, signs) || !mayBegin(first, low, signs)) return false;
  return end > first + 8 || !isListed(first, end, signs + TYPES) || !isType(p, signs);
}

// Lines.

const MODIFIERS: usize = 4608;
const LONG: usize = 512;
/** Bytes of the bitmap per 16 hashes: a fifth of its bits are set. */
const BYTES: u32 = 8;

/** The hash of a word with its case. */
function exactHashOf(p: usize, end: usize): u32 {
  let hash: u32 = 0;
  for (; p < end; p++) hash = (hash ^ at(p)) * 0x01000193;
  return hash * 0x85ebca6b;
}

/* @inline */ function isModifier(p: usize, signs: usize): bool {
  return isIn(signs + MODIFIERS, ((load<u32>(p) | 0x20202020) * 0x9e3779b1) >>> (32 - WORD_BITS));
}

/* @inline */ function addHash(hash: u32, names: usize): void {
  setBit(names, hash >>> 19);
  setBit(names, (hash >>> 6) & 8191);
}

function addName(p: usize, end: usize, names: usize): void {
  addHash(hashOf(p, end), names);
  addHash(exactHashOf(p, end), names);
}

function addAllWords(p: usize, end: usize, names: usize): void {
  while (p < end) {
    const q = min(wordEnd(p), end);
    if (q > p) addName(p, q, names);
    p = q + 1;
  }
}

/* @inline */ function wordsOf(text: v128): v128 {
  const letters = isFrom(97, 26, v128.or(text, i8x16.splat(32)));
  return v128.or(v128.or(letters, isFrom(48, 10, text)), i8x16.eq(text, i8x16.splat(95)));
}

/** Characters that may stand before the name in `public static Map<String, int[]> name(` and `std::string *type::name(`. */
/* @inline */ function isTypeCharacter(c: u32): bool {
  return (
    isSpace(c) ||
    c === 60 ||
    c === 62 ||
    c === 44 ||
    c === 58 ||
    c === 42 ||
    c === 38 ||
    c === 91 ||
    c === 93 ||
    c === 46 ||
    c === 63 ||
    c === 126
  );
}

function addFunctions(start: usize, low: usize, names: usize): void {
  for (let p = low; ; ) {
    const end = wordEnd(p);
    if (end > p) {
      const next = at(spacesEnd(end));
      if ((p > low || low === start) && (next === 40 || next === 60)) addName(p, end, names);
    } else if (!isTypeCharacter(at(p++))) return;
    p = max(p, end);
  }
}

/** Whether a function may begin here: `function`, a parenthesis, or `name =>`. */
function isFunction(p: usize): bool {
  if (at(p) === 40) return true;
  if ((load<u64>(p) | 0x2020202020202020) === 0x6e6f6974636e7566) return true;
  const end = wordEnd(p),
    next = spacesEnd(end);
  return end > p && at(next) === 61 && at(next + 1) === 62;
}

/** Whether a function or signature is assigned here: `= (`, `: Type = async x =>`, `: function`, `:: Type`. */
function assignsFunction(p: usize): bool {
  if (at(p) === 58) {
    if (isFunction(spacesEnd(p + 1)) || (at(p + 1) === 58 && isSpace(at(p + 2)))) return true;
    if (at(p + 1) === 61) return false;
    while (at(p) !== 61) if (at(p++) === 10) return false;
  }
  if (at(p) !== 61) return false;
  const value = spacesEnd(p + 1);
  if (isFunction(value)) return true;
  const isAsync = (load<u32>(value) | 0x20202020) === 0x6e797361 && (at(value + 4) | 32) === 99;
  return isAsync && isFunction(spacesEnd(value + 5));
}

/** Adds the last word of `a.b.c` at p if a function is assigned to it. */
function addAssignedName(p: usize, names: usize): void {
  let name = p,
    end = p;
  for (; isWord(at(end)) || at(end) === 46; end++) if (at(end) === 46) name = end + 1;
  if (end > name && assignsFunction(spacesEnd(end))) addName(name, end, names);
}

/** Whether the line at p begins with a word to which a value may be assigned. */
/* @inline */ function mayAssign(p: usize): bool {
  const text = v128.load(p),
    words = <u32>i8x16.bitmask(v128.or(wordsOf(text), i8x16.eq(text, i8x16.splat(46))));
  const end = ctz(~words),
    after = <u32>i8x16.bitmask(v128.or(v128.or(i8x16.eq(text, i8x16.splat(32)), isFrom(9, 5, text)), text)) >>> end;
  const sign = end + ctz(~after);
  return sign > 15 || at(p + sign) === 58 || at(p + sign) === 61 || (end === 6 && at(p) === 101);
}

function addAssignedNames(low: usize, names: usize): void {
  addAssignedName(low, names);
  const isExport = (load<u64>(low) & 0xffffffffffff) === 0x74726f707865;
  if (isExport && isSpace(at(low + 6))) addAssignedName(spacesEnd(low + 6), names);
}

/** Whether the whole line is a comment: `//`, `* `, `-- `, or `# ` without `define`. */
function isComment(p: usize): bool {
  const c = at(p),
    next = at(p + 1);
  if (c === 47) return next === 47;
  if (c === 42) return isSpace(next);
  if (c === 45) return next === 45 && isSpace(at(p + 2));
  return c === 35 && isSpace(next) && (load<u64>(spacesEnd(p + 1)) & 0x1f1f1f1f1f1f) !== 0x50e09060504;
}

/** Adds the names of the line at `start`. Returns its end. Reads up to 32 bytes past it and three bytes before it. */
function addLine(start: usize, signs: usize, names: usize): usize {
  // Skip a byte order mark.
  if ((load<u32>(start) & 0xffffff) === 0xbfbbef) start += 3;
  const low = spacesEnd(start);
  if (isComment(low)) return lineEnd(low, usize.MAX_VALUE);
  let parentheses: u32 = 0,
    values: u32 = 0,
    high = low;
  for (let isOver = false; !isOver; high += 16) {
    const text = v128.load(high),
      next = v128.load(high, 1),
      newlines = <u32>i8x16.bitmask(i8x16.eq(text, i8x16.splat(10)));
    const inside = (newlines - 1) & ~newlines & 0xffff;
    if (high > low + LONG) {
      high = lineEnd(high, usize.MAX_VALUE);
      addAllWords(low, high, names);
      return high;
    }
    parentheses |= <u32>i8x16.bitmask(i8x16.eq(text, i8x16.splat(40))) & inside;
    values |= <u32>i8x16.bitmask(isFrom(58, 4, text)) & inside;
    const gap = v128.or(v128.or(i8x16.eq(text, i8x16.splat(32)), i8x16.eq(text, i8x16.splat(42))), isFrom(9, 5, text));
    for (let found = <u32>i8x16.bitmask(v128.and(gap, wordsOf(next))) & inside; found; found &= found - 1) {
      const name = high + ctz(found) + 1,
        before = at(name - 2);
      // Usually the byte is a letter that ends no keyword.
      if ((before <= 42 || before >= 128 || isEnding(name - 1, signs)) && isBehindKeyword(name, start, low, signs))
        addName(name, wordEnd(name), names);
    }
    if (newlines) {
      high += ctz(newlines) - 16;
      isOver = true;
    }
  }
  const first = at(low),
    isTyped = parentheses && low === start && (isWord(first) || first === 58 || first === 126);
  if (isTyped || (parentheses | values && isModifier(low, signs))) addFunctions(start, low, names);
  if (values && mayAssign(low)) addAssignedNames(low, names);
  return high;
}

/** Adds the names that the document [p, end) may define to the hashes at `names`. A last line without a newline is copied to `room`. */
export function addDefinitions(p: usize, end: usize, signs: usize, names: usize, room: usize): void {
  let last = end;
  while (last > p && at(last - 1) !== 10) last--;
  while (p < last) p = addLine(p, signs, names) + 1;
  if (end - last > LONG) addAllWords(last, end, names);
  else if (end > last) {
    memory.copy(room, last, end - last);
    store<u8>(room + (end - last), 10);
    addLine(room, signs, names);
  }
}

/** Writes the definition Bloom filter of a document, scaled to the number of its hashes, and clears the hashes. Returns its bytes. */
export function takeDefinitions(names: usize, out: usize): u32 {
  const end = names + (HASHES >>> 3);
  let count: u32 = 0;
  for (let a = names; a < end; a += 8) count += <u32>popcnt(load<u64>(a));
  const bytes = min((count * BYTES + 15) >>> 4, HASHES >>> 3);
  memory.fill(out, 0, bytes);
  for (let a = names, n: u32 = 0; a < end; a += 8, n += 64) {
    for (let word = load<u64>(a); word; word &= word - 1)
      setBit(out, (((n + <u32>ctz(word)) * bytes) << 3) >>> HASH_BITS);
  }
  memory.fill(names, 0, HASHES >>> 3);
  return bytes;
}

/** Sets the bits at `out` of the documents whose filters have all of `count` hashes. The filters stand after their starts. */
export function markDefining(starts: usize, documents: u32, hashes: usize, count: u32, out: usize): void {
  const bitmaps = starts + ((documents + 1) << 2),
    last = hashes + (count << 2);
  for (let document: u32 = 0; document < documents; document++, starts += 4) {
    const start = load<u32>(starts),
      bits = (load<u32>(starts, 4) - start) << 3;
    let p = bits ? hashes : last + 4;
    for (; p < last; p += 4) if (!isIn(bitmaps + start, (load<u32>(p) * bits) >>> HASH_BITS)) break;
    if (p === last) setBit(out, document);
  }
}
