import { crc32 } from 'node:zlib';

/** By which words names are told, of ASCII letters alone; assembly/names.ts and keywords.ts say how. */
export interface DefinitionWords {
  /** What stands before a name: `func`. */
  readonly keywords: readonly string[];
  /** What begins a line with a function: `public`. */
  readonly modifiers: readonly string[];
  /** What else may stand before a keyword: `export`. */
  readonly leaders: readonly string[];
  /** Keywords that stand before a type, too, behind which `*`, `&`, `)`, `,` or a word follows: `struct`; at most eight, of at most eight letters, */
  readonly ofTypes: readonly string[];
  /** but for these, at most eight: `extends`. */
  readonly behindNames: readonly string[];
}

/** A word that documents may define: two of 8,192 numbers in any case, and two more as it stands. */
export type DefinedName = readonly number[];

/** Bits of hashes by which words are known, and of the numbers of names. */
const WORD_BITS = 12;
export const NUMBER_BITS = 13;
const ENDING_BITS = 15;
/** Where the kernel has bits of the keywords, the modifiers and the leaders, behind those of the endings of keywords. */
const KEYWORDS = 4096;
const MODIFIERS = KEYWORDS + (1 << WORD_BITS) / 8;
const LEADERS = MODIFIERS + (1 << WORD_BITS) / 8;
/** Behind them keywords of types and words that follow names, as they stand. */
const TYPES = LEADERS + (1 << WORD_BITS) / 8;
const MOST_LISTED = 8;
const BEHIND_NAMES = TYPES + 8 * MOST_LISTED;
export const SIGNS_BYTES = BEHIND_NAMES + 8 * MOST_LISTED;

const dottedName = /^\w+(?:\.\w+)*$/;
/** The beginning of a call, or all of it. */
const call = /^\w+[\0-\x7f]*[()]$/;

/** Tells which names documents may define. */
export class NameRules {
  /** Changes with the words: what was told by others tells nothing of these. */
  readonly number: number;
  readonly #words: DefinitionWords;

  constructor(words: DefinitionWords) {
    this.#words = words;
    this.number = crc32(JSON.stringify(words));
  }

  /**
   * A document that defines a text defines one of these, in any case with `foldCase`: of `a.b` any, of a call the first word. Undefined where that is not known, as
   * beyond ASCII.
   */
  namesOf(text: string, { foldCase }: { foldCase: boolean }): DefinedName[] | undefined {
    const nameOf = foldCase ? nameInAnyCase : exactName;
    const words = text.split(/\W+/);
    if (dottedName.test(text)) return words.map(nameOf);
    return call.test(text) ? words.slice(0, 1).map(nameOf) : undefined;
  }

  /** The bits by which the kernel knows the words. */
  get signs(): Uint8Array {
    const { keywords, modifiers, leaders, ofTypes, behindNames } = this.#words;
    const signs = new Uint8Array(SIGNS_BYTES);
    for (const word of keywords)
      for (const ending of endings(word)) setBit(signs, mixed(ending) >>> (32 - ENDING_BITS));
    for (const word of keywords) setBit(signs.subarray(KEYWORDS), hashOf(word) >>> (32 - WORD_BITS));
    for (const word of leaders) setBit(signs.subarray(LEADERS), hashOf(word) >>> (32 - WORD_BITS));
    for (const word of modifiers)
      for (const four of beginnings(word)) setBit(signs.subarray(MODIFIERS), mixed(four) >>> (32 - WORD_BITS));
    signs.set(listed(ofTypes), TYPES);
    signs.set(listed(behindNames), BEHIND_NAMES);
    return signs;
  }
}

/** Eight letters of each word. */
const listed = (words: readonly string[]): Buffer =>
  Buffer.concat(words.map((word) => Buffer.from(word.slice(0, 8).padEnd(8, '\0'))));

/** The last three letters of a word, the first in the lowest byte; before two of them stands anything. */
const endings = (word: string): number[] =>
  word.length < 3 ? anything.map((byte) => byte | (packed(word) << 8)) : [packed(word.slice(-3))];

/** The first four letters; behind three of them stands anything. */
const beginnings = (word: string): number[] =>
  word.length < 4 ? anything.map((byte) => packed(word) | (byte << 24)) : [packed(word.slice(0, 4))];

/** A byte for each letter, the first in the lowest. */
const packed = (word: string): number => [...word].reduceRight((sum, letter) => (sum << 8) | letter.charCodeAt(0), 0);

const anything = Array.from({ length: 256 }, (_, byte) => byte | 32);

const nameInAnyCase = (word: string): DefinedName => numbersOf(hashOf(word));

/** Of those that stand in any case these numbers tell most. */
const exactName = (word: string): DefinedName => [...numbersOf(exactHashOf(word)), ...nameInAnyCase(word)];

const mixed = (hash: number): number => Math.imul(hash, 0x9e3779b1) >>> 0;

function hashOf(word: string): number {
  let hash = 0;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ (word.charCodeAt(i) | 32), 0x01000193);
  return mixed(hash);
}

function exactHashOf(word: string): number {
  let hash = 0;
  for (let i = 0; i < word.length; i++) hash = Math.imul(hash ^ word.charCodeAt(i), 0x01000193);
  return Math.imul(hash, 0x85ebca6b) >>> 0;
}

const numbersOf = (hash: number): number[] => [hash >>> 19, (hash >>> 6) & ((1 << NUMBER_BITS) - 1)];

function setBit(bits: Uint8Array, n: number): void {
  bits[n >>> 3] = (bits[n >>> 3] ?? 0) | (1 << (n & 7));
}
