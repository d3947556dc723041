import { crc32 } from 'node:zlib';
import { DamagedShardError } from '../errors.ts';
import { ByteList, U32List } from '../format/growing-lists.ts';
import type { Shard } from '../format/shard.ts';
import type { SearchPlace } from '../match/query.ts';
import type { Workspace } from '../workspace.ts';
import { NUMBER_BITS, SIGNS_BYTES } from './name-rules.ts';
import type { DefinedName, NameRules } from './name-rules.ts';

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
  readonly rules: NameRules;
}

/** Which names each document of a shard may define, in memory that threads share. */
export class DefinedNames {
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
  static load(workspace: Workspace, file: Uint8Array, named: NamedShard): DefinedNames {
    const header = headerOf(named, file.subarray(HEADER_BYTES));
    if (Buffer.compare(header, file.subarray(0, HEADER_BYTES)) !== 0)
      throw new DamagedShardError('the names that a shard defines are damaged, or of another one');
    const address = workspace.arena.allocate(file.length);
    workspace.arena.u8.set(file, address);
    return new DefinedNames(workspace, address, named.shard);
  }

  /** Those that another thread has loaded into the same memory. */
  static attach(workspace: Workspace, address: number, shard: Shard): DefinedNames {
    return new DefinedNames(workspace, address, shard);
  }

  /** Whether a line of a document may define a name. */
  mayDefine(document: number, numbers: DefinedName): boolean {
    const start = this.#starts[document] ?? 0;
    const bits = 8 * ((this.#starts[document + 1] ?? 0) - start);
    if (bits === 0) return false;
    for (let i = 0; i < numbers.length; i++) if (!this.#has(start, (numbers[i] ?? 0) * bits)) return false;
    return true;
  }

  /** The documents that may define one of some names, a bit each. Throws LimitError when there is no room. */
  defining(names: readonly DefinedName[]): Uint8Array {
    const { arena, kernel } = this.#workspace;
    const bytes = Math.ceil(this.#documents / 8);
    const found = arena.allocate(bytes + NUMBERS_BYTES);
    const numbers = found + bytes + (-bytes & 3);
    arena.u8.fill(0, found, found + bytes);
    for (const name of names) {
      arena.words(numbers, name.length).set(name);
      kernel.addDefining(this.address + HEADER_BYTES, this.#documents, numbers, name.length, found);
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
export function* namesIn({ workspace, shard, content }: SearchPlace, rules: NameRules): Generator<void, Uint8Array> {
  const { arena, kernel } = workspace;
  const scratch = arena.allocate(SCRATCH_BYTES);
  const [starts, bitmaps] = [new U32List(), new ByteList()];
  try {
    arena.u8.fill(0, scratch, scratch + BITMAP).set(rules.signs, scratch + SIGNS);
    for (let document = 0, stepEnd = STEP_BYTES; document < shard.documents; document++) {
      const { start, end } = shard.documentRange(document);
      const base = end > start ? content.placeDocument(document) : 0;
      kernel.addNames(base + start, base + end, scratch + SIGNS, scratch + NAMES, scratch + ROOM);
      starts.push(bitmaps.length);
      const bytes = kernel.takeNames(scratch + NAMES, scratch + BITMAP);
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
