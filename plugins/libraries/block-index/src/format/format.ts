import { DamagedShardError } from '../errors.ts';

/** "SXBI", read as a little-endian u32. */
export const MAGIC = 0x49425853;
export const VERSION = 5;
export const HEADER_BYTES = 128;
/** The checksum covers everything from here on. */
export const CHECKED_FROM = 16;
/** Unpacking reads up to this much past a list. */
const END_PADDING = 64;

const SECTIONS = [
  'documentSegment',
  'segmentStart',
  'segmentDocument',
  'segmentLine',
  'blockSegment',
  'blockSpan',
  'blockSum',
  'blockShapes',
  'blockPairs',
  'pairs',
  'postings',
  'lists',
] as const;
type Section = (typeof SECTIONS)[number];
/** Those whose size no count tells. */
const OPEN = ['pairs', 'postings', 'lists'] as const;
/** Sections of u32, which are used as they stand in the file. */
export type Table = Exclude<Section, (typeof OPEN)[number]>;
export const TABLES = SECTIONS.filter((section): section is Table => !OPEN.some((open) => open === section));

/** Keys have 21 bits. */
const MOST_KEYS = 1 << 21;

export interface Counts {
  readonly documents: number;
  readonly segments: number;
  readonly blocks: number;
  readonly keys: number;
  readonly contentBytes: number;
}

export interface Layout extends Counts {
  readonly bytes: number;
  readonly checksum: number;
  /** Where each section starts, from the start of the file. */
  readonly offsets: Readonly<Record<Section, number>>;
}

const aligned = (bytes: number): number => Math.ceil(bytes / 16) * 16;

/** The file without its checksum, which `sealed` adds. */
export function assemble(counts: Counts, sections: Readonly<Record<Section, Uint8Array>>): Uint8Array {
  const offsets = SECTIONS.map(() => 0);
  let end = HEADER_BYTES;
  SECTIONS.forEach((section, i) => {
    offsets[i] = end;
    end = aligned(end + sections[section].length);
  });
  const file = new Uint8Array(end + END_PADDING);
  const { documents, segments, blocks, keys, contentBytes } = counts;
  new Uint32Array(file.buffer).set([
    MAGIC,
    VERSION,
    file.length,
    0,
    documents,
    segments,
    blocks,
    keys,
    contentBytes,
    ...offsets,
  ]);
  SECTIONS.forEach((section, i) => file.set(sections[section], offsets[i]));
  return file;
}

/** Writes the checksum into an assembled file. */
export function seal(file: Uint8Array, checksum: number): void {
  new DataView(file.buffer, file.byteOffset).setUint32(12, checksum, true);
}

/** Reads the header of a file of so many bytes; throws DamagedShardError unless it describes exactly these. */
export function readLayout(header: Uint8Array, bytes: number): Layout {
  const view = new DataView(header.buffer, header.byteOffset, HEADER_BYTES);
  const word = (i: number): number => view.getUint32(i * 4, true);
  if (word(0) !== MAGIC) throw new DamagedShardError('these bytes are not a shard of a block index');
  if (word(1) !== VERSION)
    throw new DamagedShardError(`the shard has version ${word(1)}, this program reads version ${VERSION}`);
  if (word(2) !== bytes) throw new DamagedShardError(`the shard has ${bytes} bytes instead of ${word(2)}`);
  const offsets = Object.fromEntries(SECTIONS.map((section, i) => [section, word(9 + i)])) as Record<Section, number>; // fromEntries forgets the keys
  const layout = {
    bytes: word(2),
    checksum: word(3),
    documents: word(4),
    segments: word(5),
    blocks: word(6),
    keys: word(7),
    contentBytes: word(8),
    offsets,
  };
  checkOffsets(layout);
  return layout;
}

/** Where it was built without keys any block may have what is searched. */
export const hasKeys = ({ keys, blocks }: Pick<Counts, 'keys' | 'blocks'>): boolean => keys > 0 || blocks === 0;

/** How many u32 a table has. */
export function wordsIn(table: Table, { documents, segments, blocks }: Counts): number {
  switch (table) {
    case 'documentSegment':
      return documents + 1;
    case 'segmentStart':
      return segments + 1;
    case 'segmentDocument':
    case 'segmentLine':
      return segments;
    case 'blockSegment':
    case 'blockPairs':
      return blocks + 1;
    case 'blockSpan':
    case 'blockSum':
      return blocks;
    case 'blockShapes':
      return 2 * blocks;
  }
}

function checkOffsets(layout: Layout): void {
  const { pairs, postings, lists, ...tables } = layout.offsets;
  let end = HEADER_BYTES;
  for (const table of TABLES) {
    if (tables[table] !== end) throw new DamagedShardError(`the shard's section ${table} is not where it must be`);
    end = aligned(end + 4 * wordsIn(table, layout));
  }
  if (pairs !== end || postings < pairs || lists < postings || postings % 16 !== 0 || lists % 16 !== 0)
    throw new DamagedShardError('the shard’s postings are not where they must be');
  if (lists + END_PADDING > layout.bytes) throw new DamagedShardError('the shard is too short for its sections');
  if (layout.keys > MOST_KEYS) throw new DamagedShardError(`the shard has ${layout.keys} keys`);
}

/** Text is cut at line ends into blocks of about this many bytes. */
export const BLOCK_BYTES = 4096;
/** A longer line is a group of slices. */
const LONG_LINE = 8192;
/** A slice's keys cover this many bytes after it, so a literal lies in the slice in which it starts. */
export const SLICE_OVERLAP = 1024;
/** A document up to this size shares its block with others. */
export const SMALL_DOCUMENT = 6144;

const NEWLINE = 10;

/** A piece of a document: whole lines, or one line longer than LONG_LINE. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly isLongLine: boolean;
}

/** Cuts a document into blocks of whole lines (at least BLOCK_BYTES but for the last and those before a long line) and long lines. */
export function* cut(text: Uint8Array): Generator<Piece> {
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
