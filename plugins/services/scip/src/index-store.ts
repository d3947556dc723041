import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { IndexFile } from './index-file.ts';
import { parseName, repoKeyOf } from './index-name.ts';
import type { IndexName } from './index-name.ts';
import type { ScipDocument } from './scip-format.ts';

/** Documents that are kept after they were read. */
const cachedDocuments = 500;
/** A call that began with an index that another took the place of still reads it; no call is that long. */
const closeAfterMs = 120_000;

/** The index files of a folder, which other processes may write too. */
export class IndexStore {
  readonly folder: string;
  readonly #open: LRUCache<string, IndexFile>;
  readonly #documents = new LRUCache<string, ScipDocument>({ max: cachedDocuments });
  readonly #closing = new Map<IndexFile, NodeJS.Timeout>();
  #names: ReadonlyMap<string, readonly IndexName[]> = new Map();
  #changedAt: bigint | undefined;

  constructor(folder: string, cachedBytes: number) {
    this.folder = folder;
    this.#open = new LRUCache({
      maxSize: cachedBytes,
      sizeCalculation: ({ bytes }) => bytes + 1,
      dispose: (file) => this.#closeLater(file),
    });
  }

  get count(): number {
    this.#refresh();
    return [...this.#names.values()].flat().length;
  }

  /** The indexes of one repository. */
  of(repo: string): readonly IndexName[] {
    this.#refresh();
    return this.#names.get(repoKeyOf(repo)) ?? [];
  }

  /** Undefined for one that is gone. */
  open({ file }: IndexName): IndexFile | undefined {
    const known = this.#open.get(file);
    if (known) return known;
    try {
      const opened = IndexFile.open(join(this.folder, file));
      if (opened) this.#open.set(file, opened);
      return opened;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  document(name: IndexName, index: IndexFile, number: number): ScipDocument {
    const key = `${name.file} ${number}`;
    const document = this.#documents.get(key) ?? index.read(number);
    this.#documents.set(key, document);
    return document;
  }

  /** Removes all but the newest of each kind of one repository. */
  async keepNewest(repo: string, count: number): Promise<void> {
    const aged = this.of(repo).map((name) => ({ name, time: timeOf(join(this.folder, name.file)) }));
    for (const group of Map.groupBy(aged, ({ name }) => name.kind).values())
      for (const { name } of group.toSorted((a, b) => b.time - a.time).slice(count))
        await rm(join(this.folder, name.file), { force: true });
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

/** A file that another process just removed is the oldest. */
const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
