import { LRUCache } from 'lru-cache';
import type { LoadedPaths, LoadedShard } from '../shards/loaded-shard.ts';

/** The files of one commit, and which documents of which shards hold their text. Threads share the memory of its arrays. */
export interface SnapshotHandle {
  readonly id: number;
  readonly files: number;
  readonly paths: LoadedPaths;
  /** Byte offsets at which paths begin in their text; one more than files. */
  readonly pathStarts: Uint32Array;
  /** The paths that contain a line end, by file number: in the text it is a space. */
  readonly oddPaths: ReadonlyMap<number, string>;
  /** The class of each path, as an index into `pathClasses`. */
  readonly classes: Uint8Array;
  /** The document of each file, counted over all slices; negative for a file without searchable text. */
  readonly documents: Int32Array;
  /** For each document, where its files begin in `filesOf`; one more than documents. */
  readonly fileStarts: Uint32Array;
  readonly filesOf: Uint32Array;
  readonly slices: readonly ShardSlice[];
}

/** A shard as a range of the documents of a snapshot. */
export interface ShardSlice extends LoadedShard {
  /** Number of its first document in the snapshot. */
  readonly base: number;
}

/** The threads that search know each snapshot. */
export interface SearchThreads {
  add(snapshot: SnapshotHandle): void;
  /** Resolves when no thread looks at it any more. */
  forget(snapshot: number): Promise<void>;
}

/** How many files of a commit are searched, and how many are found by their names only. */
export interface FileCounts {
  readonly files: number;
  readonly binary: number;
  readonly tooLarge: number;
  /** Symbolic links. */
  readonly withoutText: number;
  /** Files whose content the repository lacks: a partial clone, or a damaged one. */
  readonly missing: number;
  /** Searched, and ranked last. */
  readonly generated: number;
}

export const noFiles: FileCounts = { files: 0, binary: 0, tooLarge: 0, withoutText: 0, missing: 0, generated: 0 };

export const addCounts = (a: FileCounts, b: FileCounts): FileCounts => ({
  files: a.files + b.files,
  binary: a.binary + b.binary,
  tooLarge: a.tooLarge + b.tooLarge,
  withoutText: a.withoutText + b.withoutText,
  missing: a.missing + b.missing,
  generated: a.generated + b.generated,
});

/** A file that is found by its name only. */
export interface UnsearchedFile {
  readonly path: string;
  /** Otherwise it has no text. */
  readonly isTooLarge: boolean;
}

interface SnapshotParts {
  readonly handle: SnapshotHandle;
  readonly counts: FileCounts;
  readonly firstMissing?: string | undefined;
  readonly unsearched: readonly UnsearchedFile[];
}

/** The snapshot of a commit with a reference count: its memory is freed once it is retired and nobody holds it. */
export class Snapshot {
  readonly handle: SnapshotHandle;
  readonly counts: FileCounts;
  /** The first object that the repository lacks, or cannot read. */
  readonly firstMissing: string | undefined;
  readonly unsearched: readonly UnsearchedFile[];
  readonly #free: () => Promise<void>;
  #holders = 0;
  #isFreed = false;
  #retired: PromiseWithResolvers<void> | undefined;

  constructor({ handle, counts, firstMissing, unsearched }: SnapshotParts, free: () => Promise<void>) {
    this.handle = handle;
    this.counts = counts;
    this.firstMissing = firstMissing;
    this.unsearched = unsearched;
    this.#free = free;
  }

  /** Memory that no other snapshot shares. */
  get bytes(): number {
    const { paths, pathStarts, classes, documents, fileStarts, filesOf } = this.handle;
    const arrays = [pathStarts, classes, documents, fileStarts, filesOf];
    const ofPaths = paths.handle.bytes + (pathStarts.at(-1) ?? 0);
    return arrays.reduce((sum, { byteLength }) => sum + byteLength, ofPaths);
  }

  /** Takes a reference, to be given back by `release`. False where the snapshot is retired: it must not be used then. */
  hold(): boolean {
    if (this.#retired) return false;
    this.#holders += 1;
    return true;
  }

  release(): void {
    this.#holders -= 1;
    this.#freeIfUnused();
  }

  /** Nobody can hold it any more. Resolves when its memory is freed. */
  retire(): Promise<void> {
    this.#retired ??= Promise.withResolvers<void>();
    this.#freeIfUnused();
    return this.#retired.promise;
  }

  #freeIfUnused(): void {
    if (!this.#retired || this.#holders > 0 || this.#isFreed) return;
    this.#isFreed = true;
    this.#retired.resolve(this.#free());
  }
}

/** The snapshot of a repository that was used last. Most searches want the same one again, and get it without waiting. */
export class LastSnapshot {
  #last: { readonly commit: string; readonly snapshot: Snapshot } | undefined;

  set(commit: string, snapshot: Snapshot): Snapshot {
    this.#last = { commit, snapshot };
    return snapshot;
  }

  /** Holds it, where it is that of a commit and not retired. */
  hold(commit: string): Snapshot | undefined {
    return this.#last?.commit === commit && this.#last.snapshot.hold() ? this.#last.snapshot : undefined;
  }
}

/** This many snapshots stay whatever their size: the caller that builds one searches it next. */
const fewest = 8;

/** The snapshots of commits that are no branch, of all repositories. The least recently used is evicted where they are too large together. */
export class SnapshotCache {
  readonly #maxBytes: number;
  /** What evicts each snapshot from the index that it belongs to. */
  readonly #evictions = new LRUCache<Snapshot, () => void>({
    maxSize: Number.MAX_SAFE_INTEGER,
    sizeCalculation: (_, { bytes }) => Math.max(1, bytes),
  });

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds a snapshot, or notes that it was used again. */
  keep(snapshot: Snapshot, evict: () => void): void {
    this.#evictions.set(snapshot, evict);
    while (this.#evictions.calculatedSize > this.#maxBytes && this.#evictions.size > fewest) this.#evictions.pop()?.();
  }

  /** Takes out a snapshot that stays without the cache, or is retired. */
  leave(snapshot: Snapshot): void {
    this.#evictions.delete(snapshot);
  }
}
