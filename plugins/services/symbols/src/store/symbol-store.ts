import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import { hashOf, buildDefinitionFilter } from './file-names.ts';
import { NameRuns } from './name-runs.ts';

/** Of a key; made of a hash, so that its first bytes tell files apart. */
export const keyBytes = 16;
/** Key, offset, length. */
const entryBytes = keyBytes + 6 + 4;

export type Key = string;

/**
 * Values of one process under keys: a file to which they are appended, and a list of where each is. What was cut off at the end
 * when a process ended is not read; what another process appends is seen the next time the segment is opened.
 */
class Segment {
  /** Without `.values` and `.keys`. */
  readonly path: string;
  readonly #places = new Map<Key, readonly [offset: number, length: number]>();
  /** In the order in which they were added. */
  readonly #order: Key[] = [];
  readonly #values: number;
  readonly #keys: number | undefined;
  #size: number;

  /** A new one to write to, or (`read`) one that is there. */
  constructor(path: string, mode: 'write' | 'read') {
    this.path = path;
    this.#values = openSync(`${path}.values`, mode === 'write' ? 'wx+' : 'r', 0o600);
    this.#keys = mode === 'write' ? openSync(`${path}.keys`, 'wx', 0o600) : undefined;
    this.#size = fstatSync(this.#values).size;
    if (mode === 'read') this.#load();
  }

  get bytes(): number {
    return this.#size;
  }

  get count(): number {
    return this.#places.size;
  }

  /** In the order in which they were added, those among them whose value was lost. */
  get keys(): readonly Key[] {
    return this.#order;
  }

  has(key: Key): boolean {
    return this.#places.has(key);
  }

  get(key: Key): Buffer | undefined {
    const place = this.#places.get(key);
    if (!place) return undefined;
    const [offset, length] = place;
    const value = Buffer.alloc(length);
    return readSync(this.#values, value, 0, length, offset) === length ? value : undefined;
  }

  /** Throws when the disk is full. */
  add(key: Key, value: Uint8Array): void {
    if (this.#keys === undefined) throw new Error('this segment is only read');
    const offset = this.#size;
    writeAll(this.#values, value, offset);
    const entry = Buffer.alloc(entryBytes);
    entry.write(key, 'latin1');
    entry.writeUIntLE(offset, keyBytes, 6);
    entry.writeUInt32LE(value.length, keyBytes + 6);
    writeAll(this.#keys, entry, this.#order.length * entryBytes);
    this.#size += value.length;
    this.#places.set(key, [offset, value.length]);
    this.#order.push(key);
  }

  close(): void {
    closeSync(this.#values);
    if (this.#keys !== undefined) closeSync(this.#keys);
  }

  #load(): void {
    const entries = readFileSync(`${this.path}.keys`);
    for (let at = 0; at + entryBytes <= entries.length; at += entryBytes) {
      const key = entries.toString('latin1', at, at + keyBytes);
      const offset = entries.readUIntLE(at + keyBytes, 6);
      const length = entries.readUInt32LE(at + keyBytes + 6);
      this.#order.push(key);
      if (offset + length <= this.#size) this.#places.set(key, [offset, length]);
    }
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

/** Milliseconds since 1970 at which a segment was last written; 0 for one that is gone. */
const writtenAt = (path: string): number => statSync(`${path}.keys`, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** A file, and what it has a name for. */
interface KeyWithRoles {
  readonly key: Key;
  readonly roles: number;
}

/** Packed symbols of files under their keys, and which of them have a name. */
class SymbolSegment extends Segment {
  readonly #names: NameRuns;

  constructor(path: string, mode: 'write' | 'read') {
    super(path, mode);
    this.#names = new NameRuns(`${path}.names`, mode);
    // What a process had not written yet when it was ended.
    for (const key of this.keys.slice(this.#names.count)) this.#names.add(this.#namesOf(this.get(key)));
  }

  /** Throws when the disk is full. */
  override add(key: Key, value: Uint8Array): void {
    super.add(key, value);
    this.#names.add(this.#namesOf(value));
  }

  /** In pieces. */
  *having(hash: number): Generator<KeyWithRoles[], void, void> {
    for (const places of this.#names.find(hash))
      yield places.flatMap(({ entry, roles }) => {
        const key = this.keys[entry];
        return key === undefined ? [] : [{ key, roles }];
      });
  }

  override close(): void {
    super.close();
    this.#names.close();
  }

  /** None of what is damaged: it is parsed again when it is read. */
  #namesOf(value: Uint8Array | undefined): ReadonlyMap<number, number> {
    try {
      return value ? buildDefinitionFilter(value) : new Map();
    } catch {
      return new Map();
    }
  }
}

/** Segments above which a start makes one of all. */
const manySegments = 8;
/** Larger ones are not copied. */
const smallBytes = 16 * 1024 * 1024;
/** A process may still write to a segment that was written since. */
const settledMs = 3_600_000;

interface SymbolStoreOptions {
  readonly folder: string;
  /** Most bytes on disk; the oldest segments go first. */
  readonly maxBytes: number;
  readonly log: Logger;
}

/** What files define and use, kept across restarts under the id of their content. Each process writes to a segment of its own. */
export class SymbolStore {
  readonly #options: SymbolStoreOptions;
  readonly #segments: SymbolSegment[];
  #own: SymbolSegment | undefined;
  #isFull = false;

  constructor(options: SymbolStoreOptions) {
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
