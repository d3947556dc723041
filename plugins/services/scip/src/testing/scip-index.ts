import { BinaryWriter } from '@bufbuild/protobuf/wire';

/** `[line, start, end]`, from 0. */
type Range = readonly [line: number, start: number, end: number];

export interface IndexedDocument {
  readonly path: string;
  readonly definitions?: readonly (readonly [symbol: string, range: Range])[];
  readonly uses?: readonly (readonly [symbol: string, range: Range])[];
  /** 1: UTF-8, 2: UTF-16, 3: UTF-32. */
  readonly encoding?: number;
  readonly symbols?: readonly IndexedSymbol[];
}

/** `SymbolInformation` of scip.proto. */
interface IndexedSymbol {
  readonly symbol: string;
  /** Symbols that it is a reference to, an implementation of, and a type definition of. */
  readonly relatedTo?: readonly string[];
  readonly enclosedBy?: string;
}

/** A SCIP index as an indexer writes it. */
export const scipIndex = (documents: readonly IndexedDocument[], indexer = 'scip-test'): Uint8Array => {
  const index = new BinaryWriter();
  index.tag(1, 2).fork().tag(2, 2).fork().tag(1, 2).string(indexer).join().tag(3, 2).string('file:///x').join();
  for (const document of documents) index.tag(2, 2).bytes(documentBytes(document));
  return index.finish();
};

function documentBytes({ path, definitions = [], uses = [], symbols = [], encoding = 2 }: IndexedDocument): Uint8Array {
  const document = new BinaryWriter().tag(1, 2).string(path).tag(4, 2).string('typescript');
  for (const [symbol, range] of definitions) document.tag(2, 2).bytes(occurrenceBytes(symbol, range, 1));
  for (const [symbol, range] of uses) document.tag(2, 2).bytes(occurrenceBytes(symbol, range, 0));
  for (const symbol of symbols) document.tag(3, 2).bytes(symbolBytes(symbol));
  return document.tag(6, 0).int32(encoding).finish();
}

function symbolBytes({ symbol, relatedTo = [], enclosedBy = '' }: IndexedSymbol): Uint8Array {
  const information = new BinaryWriter().tag(1, 2).string(symbol);
  for (const other of relatedTo) {
    const relationship = new BinaryWriter().tag(1, 2).string(other);
    for (const kind of [2, 3, 4, 5]) relationship.tag(kind, 0).bool(true);
    information.tag(4, 2).bytes(relationship.finish());
  }
  return information.tag(8, 2).string(enclosedBy).finish();
}

function occurrenceBytes(symbol: string, range: Range, roles: number): Uint8Array {
  const occurrence = new BinaryWriter().tag(1, 2).fork();
  for (const number of range) occurrence.int32(number);
  return occurrence.join().tag(2, 2).string(symbol).tag(3, 0).int32(roles).finish();
}
