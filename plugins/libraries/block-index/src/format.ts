import { DamagedShardError } from './errors.ts';

/** "SXBI", read as a little-endian u32. */
export const MAGIC = 0x49425853;
export const VERSION = 1;
export const HEADER_BYTES = 128;
/** The checksum covers everything from here on. */
export const CHECKED_FROM = 16;
/** Unpacking reads up to this much past a list. */
const END_PADDING = 64;

export const SECTIONS = [
  'documentSegment',
  'segmentStart',
  'segmentDocument',
  'segmentLine',
  'blockSegment',
  'blockSpan',
  'blockSum',
  'keys',
  'listStart',
  'listCount',
  'postings',
] as const;
export type Section = (typeof SECTIONS)[number];

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

/** Reads the header of a whole file; throws DamagedShardError unless it describes exactly these bytes. */
export function readLayout(file: Uint8Array): Layout {
  if (file.length < HEADER_BYTES)
    throw new DamagedShardError(`the shard has ${file.length} bytes, less than its header`);
  const view = new DataView(file.buffer, file.byteOffset, file.length);
  const word = (i: number): number => view.getUint32(i * 4, true);
  if (word(0) !== MAGIC) throw new DamagedShardError('these bytes are not a shard of a block index');
  if (word(1) !== VERSION)
    throw new DamagedShardError(`the shard has version ${word(1)}, this program reads version ${VERSION}`);
  if (word(2) !== file.length) throw new DamagedShardError(`the shard has ${file.length} bytes instead of ${word(2)}`);
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

/** How many u32 a section of fixed size has. */
export function wordsIn(section: Exclude<Section, 'postings'>, { documents, segments, blocks, keys }: Counts): number {
  switch (section) {
    case 'documentSegment':
      return documents + 1;
    case 'segmentStart':
      return segments + 1;
    case 'segmentDocument':
    case 'segmentLine':
      return segments;
    case 'blockSegment':
      return blocks + 1;
    case 'blockSpan':
    case 'blockSum':
      return blocks;
    case 'keys':
    case 'listCount':
      return keys;
    case 'listStart':
      return keys + 1;
  }
}

function checkOffsets(layout: Layout): void {
  let end = HEADER_BYTES;
  for (const section of SECTIONS) {
    if (layout.offsets[section] !== end)
      throw new DamagedShardError(`the shard's section ${section} is not where it must be`);
    if (section !== 'postings') end = aligned(end + 4 * wordsIn(section, layout));
  }
  if (end + END_PADDING > layout.bytes) throw new DamagedShardError('the shard is too short for its sections');
}
