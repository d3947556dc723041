// @ts-nocheck AssemblyScript
import { addToBlock } from './trigrams';

// The names that lines may define, as trigrams that no text has (format/names.ts). A name is a whole word behind a keyword (`class Name`), before a
// bracket in a line that may begin with a type (`int name(`), or before a sign at the beginning of a line (`name = `).
// tables: kinds of bytes [256], then kinds of words [4096] by the hash of the letters that they end with

const SPACE: u32 = 1,
  LINE_END: u32 = 2,
  WORD: u32 = 4,
  LETTER: u32 = 8,
  KEYWORD_SIGN: u32 = 16,
  BRACKET: u32 = 32,
  ASSIGNMENT: u32 = 64,
  BEYOND_ASCII: u32 = 128;
const KEYWORD: u32 = 1,
  MODIFIER: u32 = 2;
const NAMES: u32 = 65 << 14,
  BASIS: u32 = 0x811c9dc5,
  PRIME: u32 = 0x01000193;
const UNDERSCORE: u32 = 95,
  DOT: u32 = 46,
  LAST_OF_EXPORT: u32 = 116;

/* @inline */ function kindOf(tables: usize, byte: u32): u32 {
  return load<u8>(tables + <usize>byte);
}

/** Adds the names of whole lines [p, end) to the block. */
export function appendNames(p: usize, end: usize, tables: usize): void {
  let isLineStart = true,
    isTyped = false,
    isFirst = false,
    isAfterKeyword = false;
  while (p < end) {
    let byte = <u32>load<u8>(p),
      kind = kindOf(tables, byte);
    if (isLineStart) {
      isLineStart = false;
      isTyped = !(kind & SPACE);
      isFirst = true;
      isAfterKeyword = false;
    }
    if (!(kind & WORD)) {
      p++;
      if (kind & LINE_END) isLineStart = true;
      else if (!(kind & SPACE)) {
        isAfterKeyword = (kind & KEYWORD_SIGN) !== 0;
        isFirst = byte === DOT;
      }
      continue;
    }
    let name = BASIS,
      letters: u32 = 0,
      kinds: u32 = 0,
      last: u32 = 0;
    do {
      last = byte | 32;
      kinds |= kind;
      if (byte !== UNDERSCORE) name = (name ^ last) * PRIME;
      letters = kind & LETTER ? letters * 31 + last : 0;
      if (++p === end) break;
      byte = <u32>load<u8>(p);
      kind = kindOf(tables, byte);
    } while (kind & WORD);
    const word = <u32>load<u8>(tables + 256 + <usize>((letters ^ (letters >>> 12)) & 0xfff));
    if (word & MODIFIER) isTyped = true;
    let next = p;
    while (next < end && kindOf(tables, <u32>load<u8>(next)) & SPACE) next++;
    const sign = next < end ? kindOf(tables, <u32>load<u8>(next)) : 0;
    if (isAfterKeyword || (isTyped && sign & BRACKET) || (isFirst && sign & ASSIGNMENT))
      addToBlock(NAMES + ((name ^ (name >>> 16)) & 0xffff));
    isAfterKeyword = ((word & KEYWORD) | (kinds & BEYOND_ASCII)) !== 0;
    isFirst = last === LAST_OF_EXPORT;
  }
}
