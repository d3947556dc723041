import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@sextant/core';
import type { ServiceFailure } from '@sextant/core';
import { LRUCache } from 'lru-cache';
import { IndexDatabase } from './index-database.ts';
import type { ScipDocument } from './scip-format.ts';

/** Indexes that stay open. */
const mostOpen = 100;
/** How long a replaced index stays open, because a call may still read it. No call takes longer. */
const closeAfterMs = 120_000;
/** Bytes of memory of one occurrence, without its symbol. */
const bytesPerOccurrence = 64;

/** Most indexes that are kept of one repository. */
export interface Kept {
  /** Most commits of each indexer and folder. */
  readonly commits: number;
  /** Most pairs of an indexer and a folder. */
  readonly kinds: number;
  /** Most bytes on disk. The newest index is kept in any case. */
  readonly bytes: number;
}

/** The index files of a folder, which other processes may write too. */
export class IndexStore {
  readonly folder: string;
  readonly #open: LRUCache<string, IndexDatabase>;
  readonly #documents: LRUCache<string, ScipDocument>;
  readonly #closing = new Map<IndexDatabase, NodeJS.Timeout>();
  /** Why a file is not read. */
  readonly #damaged = new Map<string, string>();
  #names: ReadonlyMap<string, readonly IndexName[]> = new Map();
  #changedAt: bigint | undefined;

  /** `cachedBytes`: most bytes of documents in memory. */
  constructor(folder: string, cachedBytes: number) {
    this.folder = folder;
    this.#open = new LRUCache({ max: mostOpen, dispose: (file) => this.#closeLater(file) });
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

  /** Undefined if the file is gone or damaged. Then other indexes and the syntax answer. */
  open({ file }: IndexName): IndexDatabase | undefined {
    if (this.#damaged.has(file)) return undefined;
    const known = this.#open.get(file);
    if (known) return known;
    try {
      const opened = new IndexDatabase(join(this.folder, file), (reason) => this.#damaged.set(file, reason));
      this.#open.set(file, opened);
      return opened;
    } catch (error) {
      if (!isGone(error)) this.#damaged.set(file, messageOf(error));
      return undefined;
    }
  }

  /** A damaged document has no occurrences. */
  document({ file }: IndexName, index: IndexDatabase, id: number): ScipDocument {
    const key = `${file} ${id}`;
    const known = this.#documents.get(key) ?? index.document(id);
    this.#documents.set(key, known);
    return known;
  }

  /** Gives up the documents in memory. */
  forget(): void {
    this.#documents.clear();
  }

  /** Removes the oldest indexes of one repository that are more than may be kept. */
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

  /** Reads the folder again if it has changed. A folder that is gone has no indexes. */
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

  #closeLater(file: IndexDatabase): void {
    const close = (): void => {
      this.#closing.delete(file);
      file.close();
    };
    this.#closing.set(file, setTimeout(close, closeAfterMs).unref());
  }
}

const isGone = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** A file that another process has just removed counts as the oldest. */
function ageOf(path: string): { time: number; size: number } {
  const { mtimeMs = 0, size = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return { time: mtimeMs, size };
}

function sizeOf({ path, occurrences }: ScipDocument): number {
  let size = path.length + 1;
  // Occurrences share the text of a symbol. It is counted for each, which only overestimates the size.
  for (const { symbol } of occurrences) size += bytesPerOccurrence + symbol.length;
  return size;
}

/** What the name of an index file says. */
export interface IndexName {
  readonly file: string;
  /** Hash of the repository's name. */
  readonly repoKey: string;
  readonly commit: string;
  /** Hash of root and indexer: a commit may have one index of each. */
  readonly kind: string;
}

/** Longest path in bytes, as PATH_MAX of Linux has it. */
const longestPath = 4096;

/**
 * Whether a path is canonical, as scip.proto wants `Document.relative_path`: relative, without empty parts, `.` and `..`. Paths with
 * control characters are refused too, because they would be shown as they are.
 */
export const isPathOfFile = (path: string): boolean =>
  Buffer.byteLength(path) <= longestPath &&
  !/\p{Cc}/u.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

const extension = '.scipx';
const pattern = /^([0-9a-f]{20})-([0-9a-f]{40,64})-([0-9a-f]{12})\.scipx$/;

const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

export const repoKeyOf = (repo: string): string => digest(repo, 20);

export const fileNameOf = (index: { repo: string; commit: string; root: string; indexer: string }): string =>
  `${repoKeyOf(index.repo)}-${index.commit}-${digest(`${index.root}\0${index.indexer}`, 12)}${extension}`;

/** Undefined for other files. */
function parseName(file: string): IndexName | undefined {
  const [, repoKey, commit, kind] = pattern.exec(file) ?? [];
  return repoKey !== undefined && commit !== undefined && kind !== undefined
    ? { file, repoKey, commit, kind }
    : undefined;
}
