import { crc32 } from 'node:zlib';
import { DamagedShardError, ShardVersionError } from '../errors.ts';

// The file of a shard. All numbers are u32, little endian; each section starts at a multiple of 16 bytes.
//
// | part            | entries                              | content                                                             |
// |-----------------|--------------------------------------|---------------------------------------------------------------------|
// | header          | 48 bytes                             | magic "SXBI", version, bytes, CRC-32, counts, bytes of postings     |
// | documentSegment | documents + 1                        | first segment of each document                                      |
// | segmentStart    | segments + 1                         | content offset; a segment is the part of one document in one block  |
// | segmentDocument | segments                             | its document                                                        |
// | segmentLine     | segments                             | number of its first line in the document                            |
// | blockSegment    | blocks + 1                           | first segment of each block                                         |
// | blockSpan       | blocks                               | end segment, or the group of a slice; see SLICE and CLOSED          |
// | blockSum        | blocks                               | CRC-32 of the block's text                                          |
// | postings        | bytes                                | posting lists: ascending block numbers (assembly/postings.ts)       |
// | lists           | 3 varints per trigram                | the trigram dictionary (trigram-dictionary.ts)                      |
//
// The content, the text itself, is another file: the documents one after the other, in the order of their numbers.
// A document is cut at line ends into blocks; small documents share a block. A line over LONG_LINE bytes is a group (a block with
// the trigrams of the whole line and no text of its own) followed by slices (blocks of BLOCK_BYTES). Literals search the slices,
// regular expressions the group.

/** "SXBI", read as a little-endian u32. */
export const MAGIC = 0x49425853;
/** Of the file. A program reads no other version. */
export const SHARD_VERSION = 9;
export const HEADER_BYTES = 48;
/** The checksum covers everything from this offset on. */
export const CHECKED_FROM = 16;
/** In `blockSpan`: a slice of the group whose number is in the other bits. */
export const SLICE = 0x8000_0000;
/** In `blockSpan`: a group whose line ends with a newline. */
export const CLOSED = 0x4000_0000;

/** Sections of u32, which are used as they are in the file, in its order, and how many u32 each has. */
export const tableWords = {
  documentSegment: ({ documents }) => documents + 1,
  segmentStart: ({ segments }) => segments + 1,
  segmentDocument: ({ segments }) => segments,
  segmentLine: ({ segments }) => segments,
  blockSegment: ({ blocks }) => blocks + 1,
  blockSpan: ({ blocks }) => blocks,
  blockSum: ({ blocks }) => blocks,
} satisfies Record<string, (counts: Counts) => number>;
export type Table = keyof typeof tableWords;
export const TABLES = Object.keys(tableWords) as readonly Table[]; // keys lose their types
type Section = Table | 'postings' | 'lists';

/** A trigram has 21 bits. */
export const TRIGRAM_BITS = 21;

/**
 * Folds a byte to the 7 bits that trigrams use: A-Z to a-z, tab and carriage return to space, bytes from 128 on to their low
 * five bits. So one index serves searches in both cases.
 */
export const FOLD = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 65 && byte <= 90) return byte + 32;
  if (byte >= 128) return byte & 31;
  return byte === 9 || byte === 13 ? 32 : byte;
});

/** The trigram of three folded bytes. */
export function trigramOf(first: number, second: number, third: number): number {
  return (first << 14) | (second << 7) | third;
}

export interface Counts {
  readonly documents: number;
  readonly segments: number;
  readonly blocks: number;
  /** Different trigrams. */
  readonly trigrams: number;
  readonly contentBytes: number;
}

export interface Layout extends Counts {
  readonly checksum: number;
  /** Start of each section in the file. */
  readonly offsets: Readonly<Record<Section, number>>;
}

const aligned = (bytes: number): number => Math.ceil(bytes / 16) * 16;

/** Where each section begins: each after the one before. Only the size of the postings does not follow from the counts. */
function offsetsOf(counts: Counts, postingsBytes: number): Record<Section, number> {
  const offsets: Partial<Record<Section, number>> = {};
  let end = HEADER_BYTES;
  for (const table of TABLES) {
    offsets[table] = end;
    end = aligned(end + 4 * tableWords[table](counts));
  }
  return { ...offsets, postings: end, lists: aligned(end + postingsBytes) } as Record<Section, number>; // the loop sets all tables
}

/** The file. */
export function assemble(counts: Counts, sections: Readonly<Record<Section, Uint8Array>>): Uint8Array {
  const { documents, segments, blocks, trigrams, contentBytes } = counts;
  const { postings, lists } = sections;
  const offsets = offsetsOf(counts, postings.length);
  const file = new Uint8Array(aligned(offsets.lists + lists.length));
  const words = new Uint32Array(file.buffer);
  const header = [documents, segments, blocks, trigrams, contentBytes, postings.length];
  words.set([MAGIC, SHARD_VERSION, file.length, 0, ...header]);
  for (const section of [...TABLES, 'postings', 'lists'] as const) file.set(sections[section], offsets[section]);
  words[3] = crc32(file.subarray(CHECKED_FROM));
  return file;
}

/** Reads the header of a file of `bytes` bytes. Throws DamagedShardError if it does not describe such a file. */
export function readLayout(header: Uint8Array, bytes: number): Layout {
  const view = new DataView(header.buffer, header.byteOffset, HEADER_BYTES);
  const word = (i: number): number => view.getUint32(i * 4, true);
  if (word(0) !== MAGIC) throw new DamagedShardError('these bytes are not a shard of a block index');
  if (word(1) !== SHARD_VERSION)
    throw new ShardVersionError(`the shard has version ${word(1)}, this program reads version ${SHARD_VERSION}`);
  if (word(2) !== bytes) throw new DamagedShardError(`the shard has ${bytes} bytes instead of ${word(2)}`);
  const counts = { documents: word(4), segments: word(5), blocks: word(6), trigrams: word(7), contentBytes: word(8) };
  const offsets = offsetsOf(counts, word(9));
  if (offsets.lists > bytes || counts.trigrams > 1 << TRIGRAM_BITS)
    throw new DamagedShardError('the shard is too short for its sections');
  return { ...counts, checksum: word(3), offsets };
}

/** Documents are cut at line ends into blocks of about this many bytes. */
export const BLOCK_BYTES = 4096;
/** A longer line becomes a group of slices. */
const LONG_LINE = 8192;
/** The trigrams of a slice cover this many bytes after it, so a slice has all trigrams of a literal that starts in it. */
export const SLICE_OVERLAP = 1024;
/** A document up to this size shares its block with others. */
export const SMALL_DOCUMENT = 6144;

const NEWLINE = 10;

/** A part of a document: whole lines, or one line longer than LONG_LINE. */
export interface DocumentPart {
  readonly from: number;
  readonly to: number;
  readonly isLongLine: boolean;
}

/**
 * Cuts a document into parts. Those of whole lines have at least BLOCK_BYTES, except the last and those before a long line.
 */
export function* partsOf(text: Uint8Array): Generator<DocumentPart> {
  for (let from = 0; from < text.length; ) {
    if (text.length - from <= SMALL_DOCUMENT) return yield { from, to: text.length, isLongLine: false };
    const to = lineEnd(text, from + BLOCK_BYTES - 1);
    if (to - from <= LONG_LINE) yield { from, to, isLongLine: false };
    else {
      const start = Math.max(from, text.lastIndexOf(NEWLINE, from + BLOCK_BYTES - 2) + 1);
      if (start > from) yield { from, to: start, isLongLine: false };
      yield { from: start, to, isLongLine: to - start > LONG_LINE };
    }
    from = to;
  }
}

function lineEnd(text: Uint8Array, from: number): number {
  const newline = text.indexOf(NEWLINE, from);
  return newline < 0 ? text.length : newline + 1;
}
