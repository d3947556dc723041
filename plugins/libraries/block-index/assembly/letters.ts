// @ts-nocheck AssemblyScript
// Letters of lines, each of which ends with a newline: it belongs to no word and is no space of a line, so these end there.
import { isWord } from './literal';

@inline export function at(p: usize): u32 { return load<u8>(p); }
/** Letters beyond ASCII may be spaces: what stands directly beside them is no word as a whole. */
@inline export function isSpace(c: u32): bool { return c == 32 || (c - 9 < 5 && c != 10) || c >= 128; }
@inline export function isLetter(c: u32): bool { return (c | 32) - 97 < 26; }
@inline export function isWordOfASCII(c: u32): bool { return c < 128 && isWord(c); }
@inline export function isIn(bits: usize, n: u32): bool { return ((load<u8>(bits + (n >>> 3)) >>> (n & 7)) & 1) != 0; }

/** The same of a word in any case; src/name-rules.ts makes the same. */
export function hashOf(p: usize, end: usize): u32 {
  let hash: u32 = 0;
  for (; p < end; p++) hash = (hash ^ (at(p) | 32)) * 0x01000193;
  return hash * 0x9e3779b1;
}

@inline export function wordEnd(p: usize): usize {
  while (isWord(at(p))) p++;
  return p;
}

@inline export function spacesEnd(p: usize): usize {
  while (isSpace(at(p))) p++;
  return p;
}
