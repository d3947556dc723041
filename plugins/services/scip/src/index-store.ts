import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceFailure } from '@sextant/core';
import { messageOf } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { IndexFile } from './index-file.ts';
import { parseName, repoKeyOf } from './index-name.ts';
import type { IndexName } from './index-name.ts';
import type { ScipDocument } from './scip-format.ts';

/** A call that began with an index that another took the place of still reads it; no call is that long. */
const closeAfterMs = 120_000;
/** Memory of one occurrence of a document that was read; its symbol is counted where it is long. */
const bytesPerOccurrence = 64;

/** How much of one repository is kept. */
export interface Kept {
  /** Commits of each indexer and folder. */
  readonly commits: number;
  /** Indexers and folders. */
  readonly kinds: number;
  /** On disk; the newest index is kept in any case. */
  readonly bytes: number;
}

/** The index files of a folder, which other processes may write too. */
export class IndexStore {
  readonly folder: string;
  readonly #cachedBytes: number;
  readonly #open: LRUCache<string, IndexFile>;
  readonly #documents: LRUCache<string, ScipDocument>;
  readonly #closing = new Map<IndexFile, NodeJS.Timeout>();
  /** Why a file is not read. */
  readonly #damaged = new Map<string, string>();
  #names: ReadonlyMap<string, readonly IndexName[]> = new Map();
  #changedAt: bigint | undefined;

  constructor(folder: string, cachedBytes: number) {
    this.folder = folder;
    this.#cachedBytes = cachedBytes;
    this.#open = new LRUCache({
      maxSize: cachedBytes,
      sizeCalculation: ({ bytes }) => bytes + 1,
      dispose: (file) => this.#closeLater(file),
    });
    this.#documents = new LRUCache({ maxSize: cachedBytes, sizeCalculation: sizeOf });
  }

  get count(): number {
    this.#refresh();
    return [...this.#names.values()].flat().length;
  }

  /** Files that turned out to be damaged when they were read: nothing is answered from them. */
  get failures(): readonly ServiceFailure[] {
    return [...this.#damaged].map(([file, reason]) => ({
      name: join(this.folder, file),
      reason: `${reason}; upload the index of that commit again, or remove the file`,
    }));
  }

  /** The indexes of one repository. */
  of(repo: string): readonly IndexName[] {
    this.#refresh();
    return this.#names.get(repoKeyOf(repo)) ?? [];
  }

  /** Undefined for one that is gone or damaged: what it would say, other indexes and syntax say. */
  open({ file }: IndexName): IndexFile | undefined {
    const known = this.#open.get(file);
    if (known || this.#damaged.has(file)) return known;
    try {
      const opened = IndexFile.open(join(this.folder, file));
      if (!opened) this.#damaged.set(file, 'it was never finished, or is of another version');
      else if (opened.bytes < this.#cachedBytes) this.#open.set(file, opened);
      else {
        opened.close();
        this.#damaged.set(
          file,
          `it takes ${opened.bytes} bytes of memory, more than cachedBytes of service-scip allows`,
        );
      }
      return this.#open.get(file);
    } catch (error) {
      if (!isGone(error)) this.#damaged.set(file, messageOf(error));
      return undefined;
    }
  }

  /** Without names for one that is damaged. */
  document(name: IndexName, index: IndexFile, number: number): ScipDocument {
    const key = `${name.file} ${number}`;
    const known = this.#documents.get(key);
    if (known) return known;
    try {
      const document = index.read(number);
      this.#documents.set(key, document);
      return document;
    } catch (error) {
      this.#damaged.set(name.file, messageOf(error));
      return { path: '', unit: 'utf-16', occurrences: [] };
    }
  }

  /** Removes the oldest indexes of one repository, until no more are left than are kept. */
  async keepNewest(repo: string, { commits, kinds, bytes }: Kept): Promise<void> {
    const newestFirst = this.of(repo)
      .map((name) => ({ name, ...ageOf(join(this.folder, name.file)) }))
      .toSorted((a, b) => b.time - a.time);
    const keptOf = new Map<string, number>();
    let total = 0;
    for (const [place, { name, size }] of newestFirst.entries()) {
      const same = keptOf.get(name.kind) ?? 0;
      const isWanted = same < commits && (same > 0 || keptOf.size < kinds) && total + size <= bytes;
      if (place === 0 || isWanted) {
        keptOf.set(name.kind, same + 1);
        total += size;
      } else await rm(join(this.folder, name.file), { force: true });
    }
  }

  close(): void {
    this.#open.clear();
    for (const [file, timer] of this.#closing) {
      clearTimeout(timer);
      file.close();
    }
    this.#closing.clear();
  }

  /** A folder that someone removed has no indexes. */
  #refresh(): void {
    const changedAt = statSync(this.folder, { bigint: true, throwIfNoEntry: false })?.mtimeNs;
    if (changedAt === this.#changedAt) return;
    this.#changedAt = changedAt;
    this.#open.clear();
    this.#documents.clear();
    this.#damaged.clear();
    const files = changedAt === undefined ? [] : readdirSync(this.folder);
    const names = files.flatMap((file) => parseName(file) ?? []);
    this.#names = Map.groupBy(names, ({ repoKey }) => repoKey);
  }

  #closeLater(file: IndexFile): void {
    const close = (): void => {
      this.#closing.delete(file);
      file.close();
    };
    this.#closing.set(file, setTimeout(close, closeAfterMs).unref());
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** A file that another process just removed is the oldest. */
function ageOf(path: string): { time: number; size: number } {
  const { mtimeMs = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return { time: mtimeMs, size };
}

function sizeOf({ path, occurrences }: ScipDocument): number {
  let size = path.length + 1;
  // Many have the same symbol, which is there once; counted for each, a document is kept for a shorter time.
  for (const { symbol } of occurrences) size += bytesPerOccurrence + symbol.length;
  return size;
}
