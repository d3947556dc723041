import {
  BitSet,
  emptyMatch,
  mostBlocks,
  PositionalContent,
  ResidentContent,
  search,
  Shard,
} from '@sextant/library-block-index';
import type { Content, Literal, DocumentQuery, Regex, SearchPlace, Workspace } from '@sextant/library-block-index';
import { LRUCache } from 'lru-cache';
import { isUnusable } from '../shards/load.ts';
import { DamagedIndexError, sourceOf } from '../shards/loaded-shard.ts';
import { textBetween } from '@sextant/library-keyword-search';
import type { ShardSlice, SnapshotHandle } from './snapshot.ts';

const slashByte = 0x2f;
/** Answers that are remembered of each kind: the same filters are searched again and again. */
const mostRemembered = 32;
const lastAnswers = <T extends object>(): LRUCache<string, T, () => T> =>
  new LRUCache({ max: mostRemembered, memoMethod: (_key, _stale, { context: make }) => make() });
/** Paths stand one a line: no path contains text with a line end. */
const isAcrossLines = (text: string): boolean => text.includes('\n');

/** The place of the text of a file. */
export interface Source {
  readonly slice: AttachedSlice;
  readonly document: number;
}

/** The snapshots that a thread knows. A snapshot is attached by its first search: only a search holds it, so that its memory is there. */
export class AttachedSnapshots {
  readonly #workspace: Workspace;
  /** By id. */
  readonly #handles = new Map<number, SnapshotHandle>();
  readonly #attached = new Map<number, AttachedSnapshot>();

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  add(handle: SnapshotHandle): void {
    this.#handles.set(handle.id, handle);
  }

  forget(id: number): void {
    this.#handles.delete(id);
    this.#attached.delete(id);
  }

  find(id: number): AttachedSnapshot {
    const known = this.#attached.get(id);
    if (known) return known;
    const handle = this.#handles.get(id);
    if (!handle) throw new Error(`snapshot ${id} is not known to this thread`);
    const snapshot = new AttachedSnapshot(this.#workspace, handle);
    this.#attached.set(id, snapshot);
    return snapshot;
  }
}

/** The files of one commit, as one thread searches them. */
export class AttachedSnapshot {
  readonly handle: SnapshotHandle;
  readonly slices: readonly AttachedSlice[];
  readonly everyFile: BitSet;
  readonly #paths: SearchPlace;
  /** The text of the paths, in the memory that all threads share. */
  readonly #pathBytes: Uint8Array;
  readonly #withPath = lastAnswers<BitSet>();
  readonly #noFile: BitSet;
  #lengthShares: Float32Array | undefined;

  constructor(workspace: Workspace, handle: SnapshotHandle) {
    this.handle = handle;
    this.everyFile = BitSet.all(handle.files);
    this.#noFile = new BitSet(handle.files);
    this.#paths = {
      workspace,
      shard: Shard.attach(workspace, handle.paths.handle),
      content: new ResidentContent(workspace, handle.paths.address),
    };
    const { address } = handle.paths;
    this.#pathBytes = workspace.arena.u8.subarray(address, address + this.#paths.shard.contentBytes);
    this.slices = handle.slices.map((slice) => new AttachedSlice(workspace, slice));
  }

  pathOf(file: number): string {
    const odd = this.handle.oddPaths.get(file);
    if (odd !== undefined) return odd;
    const { pathStarts } = this.handle;
    const [start = 0, next = 0] = [pathStarts[file], pathStarts[file + 1]];
    return textBetween(this.#paths.content, start, next - 1);
  }

  /** How many folders a file is in. It makes no string of the path, as it is called for many files. */
  foldersOf(file: number): number {
    const { pathStarts } = this.handle;
    const end = pathStarts[file + 1] ?? 0;
    let folders = 0;
    for (let at = pathStarts[file] ?? 0; at < end; at += 1) if (this.#pathBytes[at] === slashByte) folders += 1;
    return folders;
  }

  /** An upper bound of the blocks of paths that have a term, from the index. */
  mostPathBlocks(term: Literal | Regex): number {
    return mostBlocks(this.#paths.shard, term);
  }

  /** The same of texts. */
  mostTextBlocks(term: Literal | Regex): number {
    return this.slices.reduce((sum, { shard }) => sum + mostBlocks(shard, term), 0);
  }

  /** The files whose path matches: the same object where the same is asked for again. */
  withPath(query: Literal | Regex, checkpoint: () => void): BitSet {
    if (!this.#mayHavePath(query)) return this.#noFile;
    return this.#withPath.memo(JSON.stringify(query), { context: () => this.#filesWith(query, checkpoint) });
  }

  /** Paths stand one a line. */
  #filesWith(query: Literal | Regex, checkpoint: () => void): BitSet {
    const files = new BitSet(this.handle.files);
    const reused = emptyMatch();
    for (const matches of search(this.#paths, query, { checkpoint }))
      for (let i = 0; i < matches.length; i += 1) files.add(matches.at(i, reused).line);
    return files;
  }

  #mayHavePath(query: Literal | Regex): boolean {
    if (this.handle.files === 0 || ('literal' in query && isAcrossLines(String(query.literal)))) return false;
    return this.mostPathBlocks(query) > 0;
  }

  /** The files with a match in their name, and those with a match in the folders above it. */
  partsOfPaths(query: DocumentQuery, checkpoint: () => void): { names: BitSet; folders: BitSet } {
    const [names, folders] = [new BitSet(this.handle.files), new BitSet(this.handle.files)];
    if (this.handle.files === 0) return { names, folders };
    for (const matches of search(this.#paths, query, { checkpoint }))
      for (const { line, lineEnd, start } of matches) {
        const slash = this.#pathBytes.indexOf(slashByte, start);
        (slash >= 0 && slash < lineEnd ? folders : names).add(line);
      }
    return { names, folders };
  }

  /** The place of the text of a file. Undefined for a file without searchable text. */
  sourceOf(file: number): Source | undefined {
    const document = this.handle.documents[file] ?? -1;
    const slice = this.slices.find(
      ({ handle }) => document >= handle.base && document < handle.base + handle.documents,
    );
    return slice && { slice, document: document - slice.handle.base };
  }

  /** Number of documents in all slices. */
  get documents(): number {
    return this.handle.fileStarts.length - 1;
  }

  /** The length of each document, divided by the average length. */
  get lengthShares(): Float32Array {
    this.#lengthShares ??= this.#measureLengths();
    return this.#lengthShares;
  }

  #measureLengths(): Float32Array {
    const lengths = new Float32Array(this.documents);
    let [bytes, documents] = [0, 0];
    for (const { handle, shard } of this.slices) {
      bytes += shard.contentBytes;
      documents += shard.documents;
      for (let i = 0; i < handle.documents; i += 1) {
        const { start, end } = shard.documentRange(i);
        lengths[handle.base + i] = end - start;
      }
    }
    const average = Math.max(1, bytes) / Math.max(1, documents);
    return lengths.map((length) => length / average);
  }

  /** The documents of a slice that are the text of these files. */
  documentsOf(slice: AttachedSlice, files: BitSet): BitSet {
    const known = slice.documentsByFiles.get(files);
    if (known) return known;
    const { base, documents: count } = slice.handle;
    const { documents, fileStarts } = this.handle;
    const found = new BitSet(count);
    if (files === this.everyFile) {
      // Depends on the documents of the slice, not on all files.
      for (let i = 0; i < count; i += 1)
        if ((fileStarts[base + i + 1] ?? 0) > (fileStarts[base + i] ?? 0)) found.add(i);
    } else {
      for (const file of files.numbers()) {
        const document = (documents[file] ?? -1) - base;
        if (document >= 0 && document < count) found.add(document);
      }
    }
    slice.documentsByFiles.set(files, found);
    return found;
  }

  /** Those of some files whose text is a document. */
  filesOf(slice: AttachedSlice, document: number, among: BitSet): readonly number[] {
    const { fileStarts, filesOf } = this.handle;
    const at = slice.handle.base + document;
    const [start = 0, end = 0] = [fileStarts[at], fileStarts[at + 1]];
    // Most documents are the text of one file. For these, a subarray would cost more than the lookup.
    const [first = 0] = [filesOf[start]];
    if (end - start === 1) return among === this.everyFile || among.has(first) ? [first] : [];
    const all = [...filesOf.subarray(start, end)];
    return among === this.everyFile ? all : all.filter((file) => among.has(file));
  }
}

/** A slice of a snapshot, as one thread searches it; its content is open while a search needs it. */
export class AttachedSlice {
  readonly handle: ShardSlice;
  /** The documents that are the text of some files: sets of files are cached, and the next search uses the same set. */
  readonly documentsByFiles = new WeakMap<BitSet, BitSet>();
  readonly #workspace: Workspace;
  readonly shard: Shard;

  constructor(workspace: Workspace, handle: ShardSlice) {
    this.#workspace = workspace;
    this.handle = handle;
    this.shard = Shard.attach(workspace, handle.handle);
  }

  /** Runs `work` with the content open. Throws DamagedIndexError. */
  within<T>(work: (place: SearchPlace) => T): T {
    const place = this.#open();
    try {
      return work(place);
    } catch (error) {
      throw this.#withName(error);
    } finally {
      place.content.forget();
    }
  }

  /** The same in steps. The content is closed after the last step, or when the generator is returned. */
  *inSteps<Step, T>(work: (place: SearchPlace) => Generator<Step, T>): Generator<Step, T> {
    const place = this.#open();
    try {
      return yield* work(place);
    } catch (error) {
      throw this.#withName(error);
    } finally {
      place.content.forget();
    }
  }

  #withName(error: unknown): unknown {
    return error instanceof Error && isUnusable(error) ? new DamagedIndexError(this.handle.name, error) : error;
  }

  #open(): SearchPlace {
    return { workspace: this.#workspace, shard: this.shard, content: this.#content() };
  }

  #content(): Content {
    const { content } = this.handle;
    const address = Atomics.load(content.address, 0);
    if (address !== 0) return new ResidentContent(this.#workspace, address);
    return new PositionalContent(this.#workspace, this.shard, sourceOf(content));
  }
}
