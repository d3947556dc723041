import { crc32 } from 'node:zlib';
import { DamagedShardError } from '../errors.ts';
import { ByteList, U32List } from '../format/growing-lists.ts';
import type { Shard } from '../format/shard.ts';
import type { SearchPlace } from '../match/query.ts';
import type { Workspace } from '../workspace.ts';

/** The words around the names of definitions, in ASCII letters. assembly/definitions.ts has the rules. */
export interface DefinitionWords {
  /** Words before a name: `func`. */
  readonly keywords: readonly string[];
  /** Words that begin a line with a function: `public`. */
  readonly modifiers: readonly string[];
  /** Other words that may stand before a keyword: `export`. */
  readonly leaders: readonly string[];
  /** Keywords that also stand before the use of a type, as in `struct node *next`. At most eight, of at most eight letters. */
  readonly ofTypes: readonly string[];
  /** Words that may follow a defined name, so that it is no use of a type: `extends`. At most eight, of at most eight letters. */
  readonly behindNames: readonly string[];
}

/** The hashes of a name: two that ignore case, and two more that do not if case matters. */
export type HashedName = readonly number[];

/** Bits of the hashes of words, of names, and of the endings of keywords. */
const WORD_BITS = 12;
export const HASH_BITS = 13;
const ENDING_BITS = 15;
/** Offsets in `signs`: after the bits of the endings of keywords come those of keywords, modifiers and leaders. */
const KEYWORDS = 4096;
const MODIFIERS = KEYWORDS + (1 << WORD_BITS) / 8;
const LEADERS = MODIFIERS + (1 << WORD_BITS) / 8;
/** Then the letters of the type keywords and of the words after names. */
const TYPES = LEADERS + (1 << WORD_BITS) / 8;
const MOST_LISTED = 8;
const AFTER_NAMES = TYPES + 8 * MOST_LISTED;
export const SIGNS_BYTES = AFTER_NAMES + 8 * MOST_LISTED;

const dottedName = /^\w+(?:\.\w+)*$/;
/** A call, or the beginning of one. */
const call = /^\w+[\0-\x7f]*[()]$/;

/** The rules by which the kernel finds the names that a document may define. */
export class DefinitionRules {
  /** Identifies the words: a filter that was built with others is not valid. */
  readonly number: number;
  readonly #words: DefinitionWords;

  constructor(words: DefinitionWords) {
    this.#words = words;
    this.number = crc32(JSON.stringify(words));
  }

  /**
   * The names of which a document must define one to define a text: for `a.b` any of them, for a call its first word.
   * Undefined if this is not known, as for text beyond ASCII.
   */
  namesOf(text: string, { foldCase }: { foldCase: boolean }): HashedName[] | undefined {
    const nameOf = foldCase ? nameInAnyCase : exactName;
    const words = text.split(/\W+/);
    if (dottedName.test(text)) return words.map(nameOf);
    return call.test(text) ? words.slice(0, 1).map(nameOf) : undefined;
  }

  /** The words in the form that the kernel reads. */
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
    signs.set(listed(behindNames), AFTER_NAMES);
    return signs;
  }
}

/** Eight letters of each word, padded with zeros. */
const listed = (words: readonly string[]): Buffer =>
  Buffer.concat(words.map((word) => Buffer.from(word.slice(0, 8).padEnd(8, '\0'))));

/** The last three letters of a word, packed. A word of two letters has an ending for each byte before it. */
const endings = (word: string): number[] =>
  word.length < 3 ? anything.map((byte) => byte | (packed(word) << 8)) : [packed(word.slice(-3))];

/** The first four letters of a word, packed. A word of three letters has a beginning for each byte after it. */
const beginnings = (word: string): number[] =>
  word.length < 4 ? anything.map((byte) => packed(word) | (byte << 24)) : [packed(word.slice(0, 4))];

/** A byte per letter, the first letter in the lowest byte. */
const packed = (word: string): number => [...word].reduceRight((sum, letter) => (sum << 8) | letter.charCodeAt(0), 0);

const anything = Array.from({ length: 256 }, (_, byte) => byte | 32);

const nameInAnyCase = (word: string): HashedName => hashesOf(hashOf(word));

/** Hashes with case come first, because they exclude most. */
const exactName = (word: string): HashedName => [...hashesOf(exactHashOf(word)), ...nameInAnyCase(word)];

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

const hashesOf = (hash: number): number[] => [hash >>> 19, (hash >>> 6) & ((1 << HASH_BITS) - 1)];

function setBit(bits: Uint8Array, n: number): void {
  bits[n >>> 3] = (bits[n >>> 3] ?? 0) | (1 << (n & 7));
}

/** "SXDN", read as a little-endian u32. */
const MAGIC = 0x4e44_5853;
/** Also raised when the rules in the kernel change. */
const VERSION = 3;
const HEADER_BYTES = 24;
/** Offsets in scratch memory: hashes of a document's names, a bitmap, `signs`, and room for a line. */
const [NAMES, BITMAP, SIGNS, ROOM] = [0, 1024, 2048, 2048 + SIGNS_BYTES];
const SCRATCH_BYTES = ROOM + 1024;
/** Room for the hashes of a name at a multiple of four. */
const HASHES_BYTES = 64;
/** Text of one step. */
const STEP_BYTES = 1 << 20;

/** A shard and the rules for its definitions. */
export interface NamedShard {
  readonly shard: Shard;
  readonly rules: DefinitionRules;
}

/**
 * The definition Bloom filter of a shard: which names each document may define. It is in memory that threads share.
 * Its file is {magic "SXDN", version, number of the rules, checksum of the shard, documents, checksum}, the starts of the bitmaps, the bitmaps.
 */
export class DefinitionFilter {
  readonly address: number;
  readonly #workspace: Workspace;
  readonly #documents: number;
  /** Start of the bitmap of each document, and the end of the last one. */
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

  /**
   * Copies a file into memory. Throws DamagedShardError if it is damaged, of another shard or built with other rules, and LimitError when
   * there is no room.
   */
  static load(workspace: Workspace, file: Uint8Array, named: NamedShard): DefinitionFilter {
    const header = headerOf(named, file.subarray(HEADER_BYTES));
    if (Buffer.compare(header, file.subarray(0, HEADER_BYTES)) !== 0)
      throw new DamagedShardError('the names that a shard defines are damaged, or of another one');
    const address = workspace.arena.allocate(file.length);
    workspace.arena.u8.set(file, address);
    return new DefinitionFilter(workspace, address, named.shard);
  }

  /** A filter that another thread loaded into the same memory. */
  static attach(workspace: Workspace, address: number, shard: Shard): DefinitionFilter {
    return new DefinitionFilter(workspace, address, shard);
  }

  /** Whether a document may define a name. */
  mayDefine(document: number, hashes: HashedName): boolean {
    const start = this.#starts[document] ?? 0;
    const bits = 8 * ((this.#starts[document + 1] ?? 0) - start);
    if (bits === 0) return false;
    for (let i = 0; i < hashes.length; i++) if (!this.#has(start, (hashes[i] ?? 0) * bits)) return false;
    return true;
  }

  /** A bitmap of the documents that may define one of some names. Throws LimitError when there is no room. */
  defining(names: readonly HashedName[]): Uint8Array {
    const { arena, kernel } = this.#workspace;
    const bytes = Math.ceil(this.#documents / 8);
    const found = arena.allocate(bytes + HASHES_BYTES);
    const hashes = found + bytes + (-bytes & 3);
    arena.u8.fill(0, found, found + bytes);
    for (const name of names) {
      arena.words(hashes, name.length).set(name);
      kernel.markDefining(this.address + HEADER_BYTES, this.#documents, hashes, name.length, found);
    }
    const defining = arena.u8.slice(found, found + bytes);
    arena.release(found);
    return defining;
  }

  /** Whether the bitmap has a bit, see kernel/assembly/definitions.ts. */
  #has(start: number, place: number): boolean {
    const bit = place >>> HASH_BITS;
    return (((this.#bitmaps[start + (bit >>> 3)] ?? 0) >>> (bit & 7)) & 1) === 1;
  }
}

/** Builds the file of a filter from the text of a shard, in steps of a few milliseconds. Throws DamagedShardError, and LimitError when there is no room. */
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
