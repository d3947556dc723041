/**
 * An index on disk: the documents, each deflated JSON; the postings, sorted 64-bit numbers; the directory, deflated JSON; the
 * footer. A file that does not end with a whole footer was never finished.
 */

/** What a document holds: five numbers for each occurrence, the third of them the place of its symbol in the list. */
export interface StoredDocument {
  readonly unit: 'utf-8' | 'utf-16' | 'utf-32';
  readonly symbols: readonly string[];
  /** Line, start, end, symbol, 1 for a definition. */
  readonly occurrences: readonly number[];
}

export const numbersPerOccurrence = 5;

export interface IndexLabel {
  readonly repo: string;
  readonly commit: string;
  readonly root: string;
  readonly indexer: string;
  readonly occurrences: number;
}

export interface Directory extends IndexLabel {
  readonly documents: readonly (readonly [path: string, offset: number, length: number])[];
}

export const magic = 'SXSCIP01';

/** Offset and length of the postings, offset and length of the directory, as doubles; the magic. */
export const footerBytes = 4 * 8 + magic.length;

export interface Footer {
  readonly postingsAt: number;
  readonly postingsBytes: number;
  readonly directoryAt: number;
  readonly directoryBytes: number;
}

export function encodeFooter({ postingsAt, postingsBytes, directoryAt, directoryBytes }: Footer): Buffer {
  const footer = Buffer.alloc(footerBytes);
  for (const [index, value] of [postingsAt, postingsBytes, directoryAt, directoryBytes].entries())
    footer.writeDoubleLE(value, index * 8);
  footer.write(magic, 4 * 8, 'latin1');
  return footer;
}

/** Undefined for what is no footer. */
export function decodeFooter(bytes: Buffer): Footer | undefined {
  if (bytes.length !== footerBytes || bytes.toString('latin1', 4 * 8) !== magic) return undefined;
  const [postingsAt = 0, postingsBytes = 0, directoryAt = 0, directoryBytes = 0] = [0, 8, 16, 24].map((at) =>
    bytes.readDoubleLE(at),
  );
  return { postingsAt, postingsBytes, directoryAt, directoryBytes };
}

/** What an index takes in memory while it is open: its postings, and its directory as text and as objects. */
export const openBytes = ({ postings, directory }: { postings: number; directory: number }): number =>
  postings + 3 * directory;

/** A symbol in a document: 40 bits of its hash, 23 of the document's number (which `maxDocuments` bounds), one for a definition. */
export const postingOf = (hash: number, document: number, isDefinition: boolean): bigint =>
  (BigInt(hash) << 24n) | BigInt(document * 2 + Number(isDefinition));

export const hashOf = (posting: bigint): number => Number(posting >> 24n);

export function documentOf(posting: bigint): { document: number; isDefinition: boolean } {
  const low = Number(posting & 0xff_ff_ffn);
  return { document: low >>> 1, isDefinition: (low & 1) === 1 };
}
