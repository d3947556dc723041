import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { hashOf } from './file-names.ts';
import { writtenAt } from './segment.ts';
import type { Key } from './segment.ts';
import { SymbolSegment } from './symbol-segment.ts';
import type { KeyWithRoles } from './symbol-segment.ts';

/** Segments above which a start makes one of all. */
const manySegments = 8;
/** Larger ones are not copied. */
const smallBytes = 16 * 1024 * 1024;
/** A process may still write to a segment that was written since. */
const settledMs = 3_600_000;

export interface StoredSymbolsOptions {
  readonly folder: string;
  /** Most bytes on disk; the oldest segments go first. */
  readonly maxBytes: number;
  readonly log: Logger;
}

/** What files define and use, kept across restarts under the id of their content. Each process writes to a segment of its own. */
export class StoredSymbols {
  readonly #options: StoredSymbolsOptions;
  readonly #segments: SymbolSegment[];
  #own: SymbolSegment | undefined;
  #isFull = false;

  constructor(options: StoredSymbolsOptions) {
    this.#options = options;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#segments = this.#opened();
    this.#dropOldest();
    this.#mergeSettled();
  }

  get count(): number {
    return this.#segments.reduce((sum, { count }) => sum + count, 0);
  }

  get bytes(): number {
    return this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  has(key: Key): boolean {
    return this.#segments.some((segment) => segment.has(key));
  }

  get(key: Key): Buffer | undefined {
    for (const segment of this.#segments) {
      const value = segment.get(key);
      if (value) return value;
    }
    return undefined;
  }

  /** The files that have a name, or one with the same hash, in pieces; a file may come twice. */
  *having(name: string): Generator<KeyWithRoles[], void, void> {
    const hash = hashOf(name);
    for (const segment of this.#segments) yield* segment.having(hash);
  }

  /** Does nothing once the disk, or what may be used of it, is full: everything can be parsed again. */
  add(key: Key, value: Uint8Array): void {
    if (this.#isFull || this.has(key)) return;
    try {
      if (this.bytes + value.length > this.#options.maxBytes)
        throw new Error(`more than ${this.#options.maxBytes} bytes`);
      this.#ownSegment().add(key, value);
    } catch (error) {
      this.#isFull = true;
      this.#options.log.warn({ reason: messageOf(error) }, 'symbols of further files are not kept across restarts');
    }
  }

  close(): void {
    for (const segment of this.#segments.splice(0)) {
      try {
        segment.close();
      } catch (error) {
        // The next start makes the tables anew that could not be written.
        this.#options.log.warn({ reason: messageOf(error) }, 'which files have a name could not be kept');
      }
    }
  }

  #ownSegment(): SymbolSegment {
    if (!this.#own) {
      this.#own = new SymbolSegment(this.#newPath(), 'write');
      this.#segments.unshift(this.#own);
    }
    return this.#own;
  }

  #newPath(): string {
    return join(this.#options.folder, randomUUID());
  }

  /** The newest first. One that cannot be read is left out and removed. */
  #opened(): SymbolSegment[] {
    const { folder, log } = this.#options;
    const names = readdirSync(folder).flatMap((file) =>
      file.endsWith('.keys') ? [file.slice(0, -'.keys'.length)] : [],
    );
    const paths = names.map((name) => join(folder, name)).toSorted((a, b) => writtenAt(b) - writtenAt(a));
    return paths.flatMap((path) => {
      try {
        return [new SymbolSegment(path, 'read')];
      } catch (error) {
        log.warn({ reason: messageOf(error) }, 'kept symbols cannot be read; files are parsed again');
        remove(path);
        return [];
      }
    });
  }

  #dropOldest(): void {
    while (this.bytes > this.#options.maxBytes) {
      const oldest = this.#segments.pop();
      oldest?.close();
      if (oldest) remove(oldest.path);
    }
  }

  /** Puts many small segments together, as runs of single commands leave them. */
  #mergeSettled(): void {
    const settled = this.#segments.filter(
      ({ path, bytes }) => bytes < smallBytes && Date.now() - writtenAt(path) > settledMs,
    );
    if (settled.length < manySegments) return;
    const merged = new SymbolSegment(this.#newPath(), 'write');
    for (const segment of settled) {
      for (const key of segment.keys) {
        const value = merged.has(key) ? undefined : segment.get(key);
        if (value) merged.add(key, value);
      }
      this.#segments.splice(this.#segments.indexOf(segment), 1);
      segment.close();
      remove(segment.path);
    }
    this.#segments.push(merged);
  }
}

function remove(path: string): void {
  for (const ending of ['.keys', '.values', '.names']) rmSync(path + ending, { force: true });
}
