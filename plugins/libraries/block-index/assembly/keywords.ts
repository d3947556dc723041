// @ts-nocheck AssemblyScript
// Whether a keyword defines the word behind it: it begins its line, or stands behind a sign, an annotation or another word of definitions
// (`export default function name`), not in prose, and the word is no type that is used (`struct node *next`).
import { at, hashOf, isIn, isLetter, isSpace, isWordOfASCII, spacesEnd } from './letters';

const KEYWORDS: usize = 4096, LEADERS: usize = 5120, TYPES: usize = 5632, BEHIND_NAMES: usize = 5696;
const ENDING_BITS: u32 = 15;
/** Bits of the hash by which a word is known. */
export const SIGN_BITS: u32 = 12;

@inline function isKeyword(p: usize, end: usize, signs: usize): bool { return isIn(signs + KEYWORDS, hashOf(p, end) >>> (32 - SIGN_BITS)); }
@inline function isLeader(p: usize, end: usize, signs: usize): bool { return isIn(signs + LEADERS, hashOf(p, end) >>> (32 - SIGN_BITS)); }
/** Of what stands before p. */
@inline export function isEnding(p: usize, signs: usize): bool { return isIn(signs, ((load<u32>(p - 4) >>> 8 | 0x202020) * 0x9e3779b1) >>> (32 - ENDING_BITS)); }

/** Whether the parenthesis at p closes the receiver of a function: `func (r *T)`. */
function closesReceiver(start: usize, p: usize): bool {
  if ((load<u32>(start) | 0x20202020) != 0x636e7566) return false;
  let q = spacesEnd(start + 4);
  if (at(q) != 40) return false;
  while (q < p && at(q) != 41) q++;
  return q == p;
}

/** Behind these and a space a definition may begin: ( ) [ ] { } < > ; = & | ! " # */
@inline function isSign(c: u32): bool {
  return c == 40 || c == 41 || c == 91 || c == 93 || c == 123 || c == 125 || c == 60 || c == 62 || c == 59 || c == 61 || c == 38 || c == 124 || c - 33 < 3;
}

/** Whether no prose stands before the keyword at p. */
function mayBegin(p: usize, low: usize, signs: usize): bool {
  if (p > low && !isSpace(at(p - 1))) return isSign(at(p - 1));
  for (;;) {
    while (p > low && isSpace(at(p - 1))) p--;
    if (p == low) return true;
    const end = p;
    while (p > low && isWordOfASCII(at(p - 1))) p--;
    const isLed = p == end || isLeader(p, end, signs);
    if (p < end && isLed && (p == low || isSpace(at(p - 1)))) continue;
    if (p > low && isLed && isSign(at(p - 1))) return true;
    // Of an annotation: `@app.route`.
    while (p > low && (isWordOfASCII(at(p - 1)) || at(p - 1) == 46)) p--;
    return p < end && p > low && at(p - 1) == 64;
  }
}

function isListed(p: usize, end: usize, list: usize): bool {
  const size = <u32>(end - p);
  const letters = (load<u64>(p) | 0x2020202020202020) & (size < 8 ? (<u64>1 << (size << 3)) - 1 : <u64>-1);
  for (let last = list + 64; list < last; list += 8) if (load<u64>(list) == letters) return true;
  return false;
}

/** Whether the name at p is a type: it points to something, ends a list, or the name of what it is the type of follows. */
function isType(p: usize, signs: usize): bool {
  while (isWordOfASCII(at(p))) p++;
  let next = p;
  while (at(next) < 128 && isSpace(at(next))) next++;
  const behind = at(next);
  if (behind == 42 || behind == 38 || behind == 41 || behind == 44) return true;
  let end = next;
  while (isWordOfASCII(at(end))) end++;
  return next > p && end > next && !isListed(next, end, signs + BEHIND_NAMES);
}

/** Whether a word at p may be one that a keyword of its line defines. */
export function isBehindKeyword(p: usize, start: usize, low: usize, signs: usize): bool {
  let end = p;
  while (end > low && (isSpace(at(end - 1)) || at(end - 1) == 42)) end--;
  if (end < low + 2) return false;
  const last = at(end - 1);
  if (last == 33) return true; // macro_rules!
  if (last == 41) return closesReceiver(start, end - 1);
  if (!isEnding(end, signs)) return false;
  let first = end;
  while (first > low && isLetter(at(first - 1))) first--;
  if (!isKeyword(first, end, signs) || !mayBegin(first, low, signs)) return false;
  return end > first + 8 || !isListed(first, end, signs + TYPES) || !isType(p, signs);
}
