import { crc32 } from 'node:zlib';
import { DamagedShardError } from '../errors.ts';
import { ByteList, U32List } from '../format/growing-lists.ts';
import type { Shard } from '../format/shard.ts';
import type { SearchPlace } from '../match/query.ts';
import type { Workspace } from '../workspace.ts';

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
export type HashedName = readonly number[];

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
export class DefinitionRules {
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
  namesOf(text: string, { foldCase }: { foldCase: boolean }): HashedName[] | undefined {
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

const nameInAnyCase = (word: string): HashedName => numbersOf(hashOf(word));

/** Of those that stand in any case these numbers tell most. */
const exactName = (word: string): HashedName => [...numbersOf(exactHashOf(word)), ...nameInAnyCase(word)];

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

/** "SXDN", read as a little-endian u32. */
const MAGIC = 0x4e44_5853;
/** Raised whenever the kernel tells names otherwise, too. */
const VERSION = 3;
const HEADER_BYTES = 24;
/** What the kernel is given to tell names: bits of those of a document, a bitmap, signs, and room for a line. */
const [NAMES, BITMAP, SIGNS, ROOM] = [0, 1024, 2048, 2048 + SIGNS_BYTES];
const SCRATCH_BYTES = ROOM + 1024;
/** Room for the numbers of a name, from a multiple of four on. */
const NUMBERS_BYTES = 64;
/** Text that is gone through in one step. */
const STEP_BYTES = 1 << 20;

/** Whose names are told, and by which words. */
export interface NamedShard {
  readonly shard: Shard;
  readonly rules: DefinitionRules;
}

/** Which names each document of a shard may define, in memory that threads share. */
export class DefinitionFilter {
  readonly address: number;
  readonly #workspace: Workspace;
  readonly #documents: number;
  /** Of each document, from where its bitmap stands, and where the last one ends. */
  readonly #starts: Uint32Array;
  readonly #bitmaps: Uint8Array;

  private constructor(workspace: Workspace, address: number, { documents }: Shard) {
    const { arena } = workspace;
    this.address = address;
    this.#workspace = workspace;
    this.#documents = documents;
    this.#starts = arena.words(address + HEADER_BYTES, documents + 1);
    this.#bitmaps = arena.u8.subarray(address + HEADER_BYTES + 4 * (documents + 1));
  }

  /** Copies a file into memory. Throws DamagedShardError, also where it is of another shard or by other words, and LimitError when there is no room. */
  static load(workspace: Workspace, file: Uint8Array, named: NamedShard): DefinitionFilter {
    const header = headerOf(named, file.subarray(HEADER_BYTES));
    if (Buffer.compare(header, file.subarray(0, HEADER_BYTES)) !== 0)
      throw new DamagedShardError('the names that a shard defines are damaged, or of another one');
    const address = workspace.arena.allocate(file.length);
    workspace.arena.u8.set(file, address);
    return new DefinitionFilter(workspace, address, named.shard);
  }

  /** Those that another thread has loaded into the same memory. */
  static attach(workspace: Workspace, address: number, shard: Shard): DefinitionFilter {
    return new DefinitionFilter(workspace, address, shard);
  }

  /** Whether a line of a document may define a name. */
  mayDefine(document: number, numbers: HashedName): boolean {
    const start = this.#starts[document] ?? 0;
    const bits = 8 * ((this.#starts[document + 1] ?? 0) - start);
    if (bits === 0) return false;
    for (let i = 0; i < numbers.length; i++) if (!this.#has(start, (numbers[i] ?? 0) * bits)) return false;
    return true;
  }

  /** The documents that may define one of some names, a bit each. Throws LimitError when there is no room. */
  defining(names: readonly HashedName[]): Uint8Array {
    const { arena, kernel } = this.#workspace;
    const bytes = Math.ceil(this.#documents / 8);
    const found = arena.allocate(bytes + NUMBERS_BYTES);
    const numbers = found + bytes + (-bytes & 3);
    arena.u8.fill(0, found, found + bytes);
    for (const name of names) {
      arena.words(numbers, name.length).set(name);
      kernel.markDefining(this.address + HEADER_BYTES, this.#documents, numbers, name.length, found);
    }
    const defining = arena.u8.slice(found, found + bytes);
    arena.release(found);
    return defining;
  }

  /** As in assembly/bitmap.ts. */
  #has(start: number, place: number): boolean {
    const bit = place >>> NUMBER_BITS;
    return (((this.#bitmaps[start + (bit >>> 3)] ?? 0) >>> (bit & 7)) & 1) === 1;
  }
}

/** Tells the names of a shard by its text, in steps of some milliseconds; returns their file. Throws DamagedShardError, and LimitError when there is no room. */
export function* buildDefinitionFilter(
  { workspace, shard, content }: SearchPlace,
  rules: DefinitionRules,
): Generator<void, Uint8Array> {
  const { arena, kernel } = workspace;
  const scratch = arena.allocate(SCRATCH_BYTES);
  const [starts, bitmaps] = [new U32List(), new ByteList()];
  try {
    arena.u8.fill(0, scratch, scratch + BITMAP).set(rules.signs, scratch + SIGNS);
    for (let document = 0, stepEnd = STEP_BYTES; document < shard.documents; document++) {
      const { start, end } = shard.documentRange(document);
      const base = end > start ? content.placeDocument(document) : 0;
      kernel.addDefinitions(base + start, base + end, scratch + SIGNS, scratch + NAMES, scratch + ROOM);
      starts.push(bitmaps.length);
      const bytes = kernel.takeDefinitions(scratch + NAMES, scratch + BITMAP);
      bitmaps.add(arena.u8.subarray(scratch + BITMAP, scratch + BITMAP + bytes));
      if (end < stepEnd) continue;
      stepEnd = end + STEP_BYTES;
      yield;
    }
  } finally {
    arena.release(scratch);
  }
  starts.push(bitmaps.length);
  const rest = Buffer.concat([starts.toBytes(), bitmaps.toBytes()]);
  return Buffer.concat([headerOf({ shard, rules }, rest), rest]);
}

function headerOf({ shard, rules }: NamedShard, rest: Uint8Array): Uint8Array {
  const words = [MAGIC, VERSION, rules.number, shard.checksum, shard.documents, crc32(rest)];
  return new Uint8Array(Uint32Array.from(words).buffer);
}
