import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { DamagedTablesError, decodeTables } from './commit-shard-tables.ts';
import type { CommitShardTables } from './commit-shard-tables.ts';
import type { CommitShardFiles, ShardPart } from './commit-shard-files.ts';

/** Frames that stay decompressed: the hunks of neighbouring commits are often wanted one after the other. */
const mostFrames = 16;

/** A shard on the disk. What it does not hold in memory is read by position. */
export class CommitShardReader {
  readonly tables: CommitShardTables;
  readonly files: CommitShardFiles;
  readonly #open = new Map<ShardPart, number>();
  readonly #frames = new LRUCache<number, Buffer>({ max: mostFrames });

  /** Throws DamagedTablesError, and what the file system says where it is gone. */
  constructor(files: CommitShardFiles) {
    this.files = files;
    this.tables = decodeTables(readFileSync(files.path('tables')));
  }

  get commits(): number {
    return this.tables.times.length;
  }

  hash(commit: number): string {
    const { hashes, hashBytes } = this.tables;
    return hexOf(hashes, commit * hashBytes, hashBytes);
  }

  parents(commit: number): string[] {
    const { parents, parentStarts, hashBytes } = this.tables;
    const [from, to] = [parentStarts[commit] ?? 0, parentStarts[commit + 1] ?? 0];
    return Array.from({ length: to - from }, (_, index) => hexOf(parents, (from + index) * hashBytes, hashBytes));
  }

  isMerge(commit: number): boolean {
    const { parentStarts } = this.tables;
    return (parentStarts[commit + 1] ?? 0) - (parentStarts[commit] ?? 0) > 1;
  }

  /** Changed paths. */
  paths(commit: number): string[] {
    return Array.from(this.pathNumbers(commit), (number) => this.tables.paths[number] ?? '');
  }

  pathNumbers(commit: number): Uint32Array {
    const { fileStarts, files } = this.tables;
    return files.subarray(fileStarts[commit], fileStarts[commit + 1]);
  }

  /** The hunks of a commit. */
  patch(commit: number): Buffer {
    const { patchFrame, patchStart, patchEnd } = this.tables;
    const [start, end] = [patchStart[commit] ?? 0, patchEnd[commit] ?? 0];
    return start === end ? Buffer.alloc(0) : this.#frame(patchFrame[commit] ?? 0).subarray(start, end);
  }

  read(part: ShardPart, offset: number, length: number): Buffer {
    return this.readInto(Buffer.allocUnsafe(length), part, offset);
  }

  /** Fills the target; less of it at the end of the file. */
  readInto(target: Buffer, part: ShardPart, offset: number): Buffer {
    return target.subarray(0, readSync(this.#descriptor(part), target, 0, target.length, offset));
  }

  close(): void {
    for (const descriptor of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
  }

  #frame(number: number): Buffer {
    const known = this.#frames.get(number);
    if (known) return known;
    const { frameStarts } = this.tables;
    const [start, end] = [frameStarts[number] ?? 0, frameStarts[number + 1] ?? 0];
    const frame = decompressed(this.read('hunks', start, end - start));
    this.#frames.set(number, frame);
    return frame;
  }

  #descriptor(part: ShardPart): number {
    const descriptor = this.#open.get(part) ?? openSync(this.files.path(part), 'r');
    this.#open.set(part, descriptor);
    return descriptor;
  }
}

function decompressed(bytes: Buffer): Buffer {
  try {
    return zstdDecompressSync(bytes);
  } catch (error) {
    throw new DamagedTablesError('the hunks of a shard are damaged', { cause: error });
  }
}

const hexOf = (bytes: Uint8Array, start: number, length: number): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + start, length).toString('hex');
