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
/** `PositionEncoding` of scip.proto; indexers that leave it out count as their language does, most in UTF-16. */
const units: readonly ColumnUnit[] = ['utf-16', 'utf-8', 'utf-16', 'utf-32'];

type Field = (reader: BinaryReader, wire: WireType) => void;

/**
 * `Document` of scip.proto; what is not needed is passed over. Throws `invalid_argument`, and `too_large` for more than
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

/** The name of the program that made an index, out of `Metadata` of scip.proto. Throws `invalid_argument`. */
export function readIndexer(bytes: Uint8Array): string {
  let indexer = '';
  read(bytes, {
    2: (reader) => read(reader.bytes(), { 1: (tool) => void (indexer = tool.string()) }),
  });
  return indexer.slice(0, 100);
}

/** Undefined for one without symbol (highlighting), over several lines, or where no text can be. */
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

/** `SingleLineRange` or `MultiLineRange` of scip.proto, which newer indexers write; what is left out is 0. */
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
