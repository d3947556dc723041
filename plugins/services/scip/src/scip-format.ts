import { createHash } from 'node:crypto';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { SextantError, isSextantError, messageOf } from '@sextant/core';

/** A name in a file. Lines and columns from 0; columns in the units of the document. */
export interface Occurrence {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly symbol: string;
  readonly isDefinition: boolean;
}

/** How columns are counted: as UTF-8 bytes, UTF-16 code units or code points. */
export type ColumnUnit = 'utf-8' | 'utf-16' | 'utf-32';

/** What an index says of one file. */
export interface ScipDocument {
  readonly path: string;
  readonly unit: ColumnUnit;
  readonly occurrences: readonly Occurrence[];
}

const definitionRole = 1;
/** By `PositionEncoding` of scip.proto. Indexers that leave it out count as their language does, most of them in UTF-16. */
const units: readonly ColumnUnit[] = ['utf-16', 'utf-8', 'utf-16', 'utf-32'];

type Field = (reader: BinaryReader, wire: WireType) => void;

/**
 * Reads `Document` of scip.proto. Fields that are not needed are skipped. Throws `invalid_argument`, and `too_large` for more than
 * `maxOccurrences`.
 */
export function readDocument(bytes: Uint8Array, maxOccurrences: number): ScipDocument {
  let path = '';
  let unit = 0;
  const occurrences: Occurrence[] = [];
  read(bytes, {
    1: (reader) => void (path = reader.string()),
    2: (reader) => {
      const occurrence = readOccurrence(reader.bytes());
      if (!occurrence) return;
      if (occurrences.length >= maxOccurrences) throw tooMany(path, maxOccurrences);
      occurrences.push(occurrence);
    },
    6: (reader) => void (unit = reader.int32()),
  });
  return { path, unit: units[unit] ?? 'utf-16', occurrences };
}

const tooMany = (path: string, maxOccurrences: number): SextantError =>
  new SextantError(
    'too_large',
    `the SCIP index has more than ${maxOccurrences} names of the file ${JSON.stringify(path.slice(0, 200))}, the most that are ` +
      'taken (maxOccurrences of service-scip): leave the file out, or have the operator raise it',
  );

/** The name of the program that made an index, from `Metadata` of scip.proto. Throws `invalid_argument`. */
export function readIndexer(bytes: Uint8Array): string {
  let indexer = '';
  read(bytes, {
    2: (reader) => read(reader.bytes(), { 1: (tool) => void (indexer = tool.string()) }),
  });
  return indexer.slice(0, 100);
}

/** Undefined for an occurrence without a symbol (highlighting), over several lines, or with an impossible range. */
function readOccurrence(bytes: Uint8Array): Occurrence | undefined {
  let range: number[] = [];
  let symbol = '';
  let roles = 0;
  read(bytes, {
    1: (reader, wire) => void (range = [...range, ...readNumbers(reader, wire)].slice(0, 4)),
    2: (reader) => void (symbol = reader.string()),
    3: (reader) => void (roles = reader.int32()),
    8: (reader) => void (range = readTypedRange(reader.bytes()).slice(0, 3)),
    9: (reader) => void (range = readTypedRange(reader.bytes())),
  });
  const [line, start, third, fourth] = range;
  if (symbol === '' || line === undefined || start === undefined || third === undefined) return undefined;
  if (fourth !== undefined && third !== line) return undefined;
  const end = fourth ?? third;
  if (line < 0 || start < 0 || end < start) return undefined;
  return { line, start, end, symbol, isDefinition: (roles & definitionRole) !== 0 };
}

/** `SingleLineRange` or `MultiLineRange` of scip.proto, which newer indexers write. A missing number is 0. */
function readTypedRange(bytes: Uint8Array): number[] {
  const range = [0, 0, 0, 0];
  const field =
    (index: number): Field =>
    (reader) =>
      void (range[index] = reader.int32());
  read(bytes, { 1: field(0), 2: field(1), 3: field(2), 4: field(3) });
  return range;
}

function readNumbers(reader: BinaryReader, wire: WireType): number[] {
  if (wire !== WireType.LengthDelimited) return [reader.int32()];
  const packed = new BinaryReader(reader.bytes());
  const numbers: number[] = [];
  while (packed.pos < packed.len && numbers.length < 4) numbers.push(packed.int32());
  return numbers;
}

function read(bytes: Uint8Array, fields: Readonly<Record<number, Field>>): void {
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag();
      const field = fields[number];
      if (field) field(reader, wire);
      else reader.skip(wire, number);
    }
  } catch (error) {
    if (isSextantError(error)) throw error;
    throw new SextantError('invalid_argument', `the SCIP index is broken: ${messageOf(error)}`, { cause: error });
  }
}

/** One field of the outermost message of a SCIP file. */
interface TopMessage {
  readonly field: number;
  readonly bytes: Uint8Array;
}

/** The wire type of all fields of the outermost message. */
const lengthDelimited = 2;
export const metadataField = 1;
export const documentField = 2;
const externalSymbolField = 3;
const fields = new Set([metadataField, documentField, externalSymbolField]);
const longestVarint = 10;

/**
 * Reads a SCIP file as it comes, with one document in memory at a time. External symbols are skipped. Throws `invalid_argument` for what is
 * no SCIP file or ends too early, and `too_large` for a document of more than `maxBytes`.
 */
export async function* topMessages(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<TopMessage, void, void> {
  const pending = new ByteQueue();
  let at = 0;
  for await (const chunk of chunks) {
    pending.push(chunk);
    for (let header = headerOf(pending, at); header; header = headerOf(pending, at)) {
      if (header.length > maxBytes)
        throw new SextantError('too_large', `a document of ${header.length} bytes at byte ${at}; at most ${maxBytes}`);
      if (pending.length < header.size + header.length) break;
      const bytes = pending.take(header.size + header.length).subarray(header.size);
      at += header.size + header.length;
      if (header.field !== externalSymbolField) yield { field: header.field, bytes };
    }
  }
  if (pending.length > 0)
    throw new SextantError('invalid_argument', `the SCIP index ends in the middle, at byte ${at}`);
}

interface Header {
  readonly field: number;
  /** Bytes of the header itself, and of what follows it. */
  readonly size: number;
  readonly length: number;
}

/** Undefined until enough bytes have come. */
function headerOf(pending: ByteQueue, at: number): Header | undefined {
  const start = pending.peek(2 * longestVarint);
  const tag = varintIn(start, 0, at);
  const length = tag && varintIn(start, tag.next, at);
  if (tag && ((tag.value & 7) !== lengthDelimited || !fields.has(tag.value >>> 3))) throw notScip(at);
  if (!tag || !length) return undefined;
  return { field: tag.value >>> 3, size: length.next, length: length.value };
}

function varintIn(bytes: Uint8Array, from: number, at: number): { value: number; next: number } | undefined {
  let value = 0;
  for (let index = from; index < bytes.length && index < from + longestVarint; index += 1) {
    const byte = bytes[index] ?? 0;
    value += (byte & 127) * 2 ** (7 * (index - from));
    if (byte < 128) return { value, next: index + 1 };
  }
  if (bytes.length >= from + longestVarint) throw notScip(at);
  return undefined;
}

const notScip = (at: number): SextantError =>
  new SextantError(
    'invalid_argument',
    `this is no SCIP index: byte ${at} does not begin metadata, a document or an external symbol`,
  );

/** A queue of bytes that come in pieces. They are joined only when they are taken. */
class ByteQueue {
  #pieces: Uint8Array[] = [];
  length = 0;

  push(piece: Uint8Array): void {
    if (piece.length > 0) this.#pieces.push(piece);
    this.length += piece.length;
  }

  /** At most `count` bytes from the front. They stay in the queue. */
  peek(count: number): Uint8Array {
    const [first] = this.#pieces;
    if (first && (first.length >= count || this.#pieces.length === 1)) return first.subarray(0, count);
    return this.#joined().subarray(0, count);
  }

  take(count: number): Uint8Array {
    const [first] = this.#pieces;
    const all = first && first.length >= count ? first : this.#joined();
    const [, ...others] = this.#pieces;
    const rest = all.subarray(count);
    this.#pieces = rest.length > 0 ? [rest, ...others] : others;
    this.length -= count;
    return all.subarray(0, count);
  }

  #joined(): Uint8Array {
    const all = Buffer.concat(this.#pieces);
    this.#pieces = all.length > 0 ? [all] : [];
    return all;
  }
}

/** Whether a symbol is known in one file only. */
export const isLocal = (symbol: string): boolean => symbol.startsWith('local ');

/** Whether a symbol cannot be named outside of a function or type: local names, parameters `(x)` and type parameters `[T]`. */
export const isInside = (symbol: string): boolean => isLocal(symbol) || /[)\]]$/.test(symbol);

/**
 * A symbol without the version of its package, so that a repository meets those who use an older version of it. A symbol is
 * `scheme manager package version descriptors`; a space that belongs to a part is doubled.
 */
export function withoutVersion(symbol: string): string {
  const spaces: number[] = [];
  for (let at = symbol.indexOf(' '); at >= 0 && spaces.length < 4; at = symbol.indexOf(' ', at + 1)) {
    if (symbol[at + 1] === ' ') at += 1;
    else spaces.push(at);
  }
  const [, , before, after] = spaces;
  return before === undefined || after === undefined ? symbol : symbol.slice(0, before) + symbol.slice(after);
}

/** A hash of a symbol without its version, with 40 bits. Symbols with the same hash are compared in full. */
export const symbolHash = (symbol: string): number =>
  createHash('sha1').update(withoutVersion(symbol)).digest().readUIntBE(0, 5);
