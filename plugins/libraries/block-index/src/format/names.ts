import { trigramOf } from './format.ts';

/*
 * A name that a line of a block may define is one more trigram of the block. It begins with a capital letter, which no text has once it is
 * folded. Names are compared without case and underscores, so `parseConfig` and `parse_config` are one.
 */

const NAME_BITS = 16;
/** The first trigram of names; see assembly/names.ts. */
const NAMES = trigramOf(65, 0, 0);
/** The trigram of blocks that may define any name. */
export const ANY_NAME = NAMES + (1 << NAME_BITS);
const [BASIS, PRIME] = [0x811c9dc5, 0x0100_0193];
const UNDERSCORE = 95;

/** The trigram of a name of ASCII letters, digits and underscores. Several names may share it. */
export function nameTrigram(name: string): number {
  let hash = BASIS;
  for (const byte of Buffer.from(name)) if (byte !== UNDERSCORE) hash = Math.imul(hash ^ (byte | 32), PRIME);
  return NAMES + ((hash ^ (hash >>> 16)) & ((1 << NAME_BITS) - 1));
}

/** The words that tell the definition of a name from its uses, in lower case. */
export interface DefinitionWords {
  /** What stands directly before a name. */
  readonly keywords: readonly string[];
  /** What begins an indented line that has a name before a bracket. */
  readonly modifiers: readonly string[];
}

/** Kinds of bytes and of words. */
const [SPACE, LINE_END, WORD, LETTER, KEYWORD_SIGN, BRACKET, ASSIGNMENT, BEYOND_ASCII] = [1, 2, 4, 8, 16, 32, 64, 128];
const [KEYWORD, MODIFIER] = [1, 2];
const WORD_HASHES = 4096;

/** The tables of assembly/names.ts. */
export function nameTables({ keywords, modifiers }: DefinitionWords): Uint8Array {
  const words = new Uint8Array(WORD_HASHES);
  const mark = (word: string, kind: number): void => {
    words[wordHash(word)] = (words[wordHash(word)] ?? 0) | kind;
  };
  for (const word of keywords) mark(word, KEYWORD);
  for (const word of modifiers) mark(word, MODIFIER);
  return Uint8Array.from([...Array.from({ length: 256 }, (_, byte) => kindOf(byte)), ...words]);
}

function kindOf(byte: number): number {
  if (byte >= 128) return WORD | BEYOND_ASCII | BRACKET | ASSIGNMENT;
  const character = String.fromCharCode(byte);
  if (character === '\n') return LINE_END;
  if (/[\s*]/.test(character)) return SPACE;
  if (/[a-z]/i.test(character)) return WORD | LETTER;
  if (/\w/.test(character)) return WORD;
  if (/[)!]/.test(character)) return KEYWORD_SIGN;
  return /[(<]/.test(character) ? BRACKET : /[:=]/.test(character) ? ASSIGNMENT : 0;
}

function wordHash(word: string): number {
  let hash = 0;
  for (const byte of Buffer.from(word)) hash = (Math.imul(hash, 31) + byte) >>> 0;
  return (hash ^ (hash >>> 12)) & (WORD_HASHES - 1);
}
