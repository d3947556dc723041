import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { DamagedShardError, replaceFile, ShardVersionError } from '@sextant/library-block-index';
import { definitionRules } from '@sextant/library-ranking';
import { isCommitFile } from './commit-files.ts';

/**
 * The files of one shard. The table is written last: a shard without a table does not exist. Several processes may use the same folder. No name is
 * used twice, and what another process has begun stays.
 */
export class ShardFiles {
  readonly folder: string;
  readonly name: string;

  constructor(folder: string, name: string) {
    this.folder = folder;
    this.name = name;
  }

  /** Names of the complete shards of a folder, the oldest first. Removes what a process that ended left behind. */
  static completeIn(folder: string): string[] {
    const files = readdirSync(folder);
    const complete = completeAmong(files);
    for (const file of files) {
      if (isCommitFile(file)) continue;
      const isOfComplete = !file.endsWith('.partial') && complete.includes(file.replace(/\.\w+$/, ''));
      if (!isOfComplete && isLeftover(join(folder, file))) rmSync(join(folder, file), { force: true });
    }
    return complete.sort((a, b) => numberOf(a) - numberOf(b) || (a < b ? -1 : 1));
  }

  /** The same without an order, and nothing is removed. */
  static namesIn(folder: string): string[] {
    return completeAmong(readdirSync(folder));
  }

  get text(): string {
    return this.#named('text');
  }

  get shard(): string {
    return this.#named('shard');
  }

  get table(): string {
    return this.#named('table');
  }

  get partialText(): string {
    return `${this.text}.partial`;
  }

  /** Puts a finished text into place, and with it the whole shard. */
  commit(shard: Uint8Array, table: ShardTable): void {
    renameSync(this.partialText, this.text);
    replaceFile(this.shard, shard, { isDurable: true });
    replaceFile(this.table, packTable(table), { isDurable: true });
    syncFolder(this.folder);
  }

  readTable(): Buffer {
    return readFileSync(this.table);
  }

  /** Removes the table first, so that nothing incomplete is taken for a shard. */
  remove(): void {
    const paths = [this.table, this.shard, this.text, this.partialText];
    for (const path of paths) rmSync(path, { force: true });
  }

  #named(ending: string): string {
    return join(this.folder, `${this.name}.${ending}`);
  }
}

const completeAmong = (files: readonly string[]): string[] =>
  files.flatMap((file) => (file.endsWith('.table') ? [file.slice(0, -'.table'.length)] : []));

/** A name for a new shard: its number, which orders shards, the process that writes it, and random bytes. */
export const newShardName = (number: number): string => `${number}-${process.pid}-${randomBytes(6).toString('hex')}`;

export const numberOf = (name: string): number => Number.parseInt(name, 10);

/** Whether the process that began a file has ended, so that the file is never completed. */
function isLeftover(path: string): boolean {
  const pid = Number(/^\d+-(\d+)-/.exec(basename(path))?.[1] ?? 0);
  if (pid === 0) return true;
  if (pid !== process.pid) return !isRunning(pid);
  // In a container, a process that ended may have had this number. Another instance in this process began it after the start.
  const started = Date.now() - process.uptime() * 1000;
  return (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < started;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It runs, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** What a shard holds: object ids of its documents in order, and of the blobs that have no text. */
export interface ShardTable {
  readonly documents: readonly string[];
  readonly binary: readonly string[];
}

/** Changes with the format, and with the words of definitions: shards of others are built again. */
const magic = (0x3354_5853 ^ definitionRules) >>> 0;
const headerBytes = 20;

/** Little endian: magic, checksum of the rest, bytes of an id, numbers of documents and of binary blobs; then the ids. */
export function packTable({ documents, binary }: ShardTable): Buffer {
  const ids = [...documents, ...binary];
  const idBytes = (ids[0]?.length ?? 0) / 2;
  const file = Buffer.alloc(headerBytes + ids.length * idBytes);
  file.writeUInt32LE(magic, 0);
  for (const [i, value] of [idBytes, documents.length, binary.length].entries()) file.writeUInt32LE(value, 8 + 4 * i);
  for (const [i, id] of ids.entries()) file.write(id, headerBytes + i * idBytes, 'hex');
  file.writeUInt32LE(crc32(file.subarray(8)), 4);
  return file;
}

/** The number of documents in a table. Throws DamagedShardError, and ShardVersionError where another version wrote it. */
export function checkTable(file: Buffer): number {
  if (file.length < headerBytes) throw new DamagedShardError(`the table of a shard ends after ${file.length} bytes`);
  if (file.readUInt32LE(4) !== crc32(file.subarray(8)))
    throw new DamagedShardError('the checksum of the table of a shard is wrong');
  if (file.readUInt32LE(0) !== magic) throw new ShardVersionError('the table of a shard is of another version');
  return file.readUInt32LE(12);
}

/** Reads a table that was checked. */
export function unpackTable(bytes: Uint8Array): ShardTable {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [idBytes = 0, documents = 0, binary = 0] = [8, 12, 16].map((at) => file.readUInt32LE(at));
  const hex = file.toString('hex', headerBytes);
  const idOf = (_: unknown, i: number): string => hex.slice(i * 2 * idBytes, (i + 1) * 2 * idBytes);
  const ids = Array.from({ length: documents + binary }, idOf);
  return { documents: ids.slice(0, documents), binary: ids.slice(documents) };
}
