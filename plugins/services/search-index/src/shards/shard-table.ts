import { crc32 } from 'node:zlib';
import { DamagedShardError } from '@sextant/library-block-index';

/** What a shard holds: object ids of its documents in order, and of the blobs that have no text, with the reason. */
export interface ShardTable {
  readonly documents: readonly string[];
  readonly skipped: Readonly<Record<string, SkipReason>>;
}
export type SkipReason = 'binary' | 'missing';

/** Raised whenever files of before can no longer be read; theirs are built again. */
const magic = 0x3254_5853; // SXT2
const headerBytes = 24;

/** Its file, little endian: magic, checksum of the rest, bytes of an id, numbers of documents, binary and missing blobs; then the ids. */
export function packTable({ documents, skipped }: ShardTable): Buffer {
  const of = (reason: SkipReason): string[] => Object.keys(skipped).filter((id) => skipped[id] === reason);
  const [binary, missing] = [of('binary'), of('missing')];
  const ids = [...documents, ...binary, ...missing];
  const idBytes = (ids[0]?.length ?? 0) / 2;
  const file = Buffer.alloc(headerBytes + ids.length * idBytes);
  file.writeUInt32LE(magic, 0);
  for (const [i, value] of [idBytes, documents.length, binary.length, missing.length].entries())
    file.writeUInt32LE(value, 8 + 4 * i);
  for (const [i, id] of ids.entries()) file.write(id, headerBytes + i * idBytes, 'hex');
  file.writeUInt32LE(crc32(file.subarray(8)), 4);
  return file;
}

/** The number of documents in a file. Throws DamagedShardError, also when another version wrote it. */
export function checkTable(file: Buffer): number {
  if (file.length < headerBytes || file.readUInt32LE(0) !== magic)
    throw new DamagedShardError('the table of a shard is of another version');
  if (file.readUInt32LE(4) !== crc32(file.subarray(8)))
    throw new DamagedShardError('the checksum of the table of a shard is wrong');
  return file.readUInt32LE(12);
}

/** Of a file that was checked. */
export function unpackTable(bytes: Uint8Array): ShardTable {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [idBytes = 0, documents = 0, binary = 0, missing = 0] = [8, 12, 16, 20].map((at) => file.readUInt32LE(at));
  const hex = file.toString('hex', headerBytes);
  const idsOf = (first: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => hex.slice((first + i) * 2 * idBytes, (first + i + 1) * 2 * idBytes));
  const skipped: [string, SkipReason][] = [
    ...idsOf(documents, binary).map((id): [string, SkipReason] => [id, 'binary']),
    ...idsOf(documents + binary, missing).map((id): [string, SkipReason] => [id, 'missing']),
  ];
  return { documents: idsOf(0, documents), skipped: Object.fromEntries(skipped) };
}
