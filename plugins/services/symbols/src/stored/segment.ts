import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync, writeSync } from 'node:fs';

/** Of a key; made of a hash, so that its first bytes tell files apart. */
export const keyBytes = 16;
/** Key, offset, length. */
const entryBytes = keyBytes + 6 + 4;

export type Key = string;

/**
 * Values of one process under keys: a file to which they are appended, and a list of where each is. What was cut off at the end
 * when a process ended is not read; what another process appends is seen the next time the segment is opened.
 */
export class Segment {
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
export const writtenAt = (path: string): number => statSync(`${path}.keys`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
