import { readFileSync } from 'node:fs';
import { zstdDecompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { hashAt } from '@sextant/contracts';
import type { CommitRecord } from '@sextant/contracts';
import { closePath, pathSource } from '@sextant/library-block-index';
import type { ByteSource } from '@sextant/library-block-index';
import type { CommitShardFiles, ShardPart } from './commit-shard-files.ts';
import { DamagedTablesError, decodeTables } from './commit-shard-tables.ts';
import type { CommitShardTables } from './commit-shard-tables.ts';
import { changeStates } from './indexed-commit.ts';
import type { ChangeState, ChangedText, IndexedCommit } from './indexed-commit.ts';

/** Decompressed frames that are kept: hunks of neighbouring commits are often read together. */
const mostFrames = 16;

/** A shard on the disk. Its tables are in memory; everything else is read by position. */
export class CommitShardReader {
  readonly tables: CommitShardTables;
  readonly files: CommitShardFiles;
  readonly #frames = new LRUCache<number, Buffer>({ max: mostFrames });

  /** Throws DamagedTablesError, and the error of the file system where the shard is gone. */
  constructor(files: CommitShardFiles) {
    this.files = files;
    this.tables = decodeTables(readFileSync(files.path('tables')));
  }

  get commits(): number {
    return this.tables.times.length;
  }

  hash(commit: number): string {
    return hashAt(this.tables, commit);
  }

  isMerge(commit: number): boolean {
    const { parentStarts } = this.tables;
    return (parentStarts[commit + 1] ?? 0) - (parentStarts[commit] ?? 0) > 1;
  }

  changesOf(commit: number): ChangeState {
    return changeStates[this.tables.isUnread[commit] ?? 0] ?? 'stored';
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

  /** A commit without its changes. `mapped` is the author as written: the mailmap is the caller's. */
  record(commit: number): CommitRecord {
    const { authors, people, authored, times, messageStarts } = this.tables;
    const author = people[authors[commit] ?? 0] ?? { name: '', email: '' };
    const [start, end] = [messageStarts[commit] ?? 0, messageStarts[commit + 1] ?? 0];
    // Each stored message has a line end that the message itself does not have.
    const message = this.#read('messages-text', start, Math.max(0, end - start - 1)).toString();
    const [hash, parents, time] = [this.hash(commit), this.#parents(commit), times[commit] ?? 0];
    return { hash, author, mapped: author, authored: authored[commit] ?? 0, time, parents, message };
  }

  /** A commit as the writer of the shard was given it. */
  indexedCommit(commit: number): IndexedCommit {
    return {
      record: this.record(commit),
      changes: this.changesOf(commit),
      paths: this.paths(commit),
      texts: this.#texts(commit),
      patch: this.patch(commit),
    };
  }

  source(part: ShardPart): ByteSource {
    return pathSource(this.files.path(part));
  }

  close(): void {
    for (const path of this.files.paths) closePath(path);
  }

  #read(part: ShardPart, offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    this.source(part)(bytes, offset);
    return bytes;
  }

  #parents(commit: number): string[] {
    const { parents, parentStarts, hashBytes } = this.tables;
    const [from, to] = [parentStarts[commit] ?? 0, parentStarts[commit + 1] ?? 0];
    return Array.from({ length: to - from }, (_, index) => hashAt({ hashes: parents, hashBytes }, from + index));
  }

  #texts(commit: number): ChangedText[] {
    const { textCommit, textFile, textStarts } = this.tables;
    const paths = this.pathNumbers(commit);
    const texts: ChangedText[] = [];
    for (let text = firstAt(textCommit, commit); textCommit[text] === commit; text++) {
      const [start, end] = [textStarts[text] ?? 0, textStarts[text + 1] ?? 0];
      const file = textFile[text] ?? 0;
      texts.push({
        path: paths.indexOf(file >>> 1),
        isAdded: (file & 1) === 1,
        text: this.#read('lines-text', start, end - start),
      });
    }
    return texts;
  }

  #frame(number: number): Buffer {
    const known = this.#frames.get(number);
    if (known) return known;
    const { frameStarts } = this.tables;
    const [start, end] = [frameStarts[number] ?? 0, frameStarts[number + 1] ?? 0];
    const frame = decompressed(this.#read('hunks', start, end - start));
    this.#frames.set(number, frame);
    return frame;
  }
}

function decompressed(bytes: Buffer): Buffer {
  try {
    return zstdDecompressSync(bytes);
  } catch (error) {
    throw new DamagedTablesError('the hunks of a shard are damaged', { cause: error });
  }
}

/** The first index of an ascending list whose value is at least `value`. */
function firstAt(values: Uint32Array, value: number): number {
  let low = 0;
  for (let high = values.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
