import { closeSync, existsSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';

/** Entries of one run; what is not in a run yet is in memory. */
const entriesOfRun = 2048;
const magic = 0x53_58_4e_31;
/** The magic, then how many entries, names and places there are. */
const headerBytes = 16;
/** A name is its hash, and where its places end. */
const nameBytes = 8;
const placeBytes = 2;
/** Names read at once; the hash before every so many is in memory. */
const namesAtOnce = 256;

/** What an entry has a name for; both may hold. */
export const nameRoles = { definition: 1, use: 2 };
const roleBits = 2;

interface Run {
  /** Of the first of its entries, from 0. */
  readonly first: number;
  /** The first hash of every `namesAtOnce`. */
  readonly fences: Uint32Array;
  readonly names: number;
  readonly namesAt: number;
  readonly placesAt: number;
}

/** Of an entry, and what it has the name for. */
export interface NamePlace {
  readonly entry: number;
  readonly roles: number;
}

/** Which entries of a segment have a name: sorted tables on disk, of `entriesOfRun` entries each, and those that came last. */
export class NameRuns {
  readonly #runs: Run[] = [];
  readonly #tail = new Map<number, number[]>();
  readonly #file: number | undefined;
  readonly #isWritten: boolean;
  #size = 0;
  #tailFirst = 0;
  #count = 0;

  /** A new file to write, or (`read`) one that is there, or not. What is damaged, and what stands behind it, is not read. */
  constructor(path: string, mode: 'write' | 'read') {
    this.#isWritten = mode === 'write';
    if (this.#isWritten) this.#file = openSync(path, 'wx+', 0o600);
    else if (existsSync(path)) this.#file = openSync(path, 'r');
    if (this.#file !== undefined && !this.#isWritten) this.#load(this.#file, fstatSync(this.#file).size);
  }

  /** Entries that it knows. */
  get count(): number {
    return this.#count;
  }

  /** The names of the next entry, by their hashes. Throws when the disk is full. */
  add(names: ReadonlyMap<number, number>): void {
    const entry = this.#count;
    this.#count += 1;
    for (const [hash, roles] of names) {
      const place = ((entry - this.#tailFirst) << roleBits) | roles;
      const places = this.#tail.get(hash);
      if (places) places.push(place);
      else this.#tail.set(hash, [place]);
    }
    if (this.#isWritten && entry + 1 - this.#tailFirst === entriesOfRun) this.#flush();
  }

  /** In pieces of at most `entriesOfRun`. */
  *find(hash: number): Generator<NamePlace[], void, void> {
    for (const run of this.#runs) yield placesFrom(run.first, this.#placesIn(run, hash));
    yield placesFrom(this.#tailFirst, this.#tail.get(hash) ?? []);
  }

  close(): void {
    if (this.#file === undefined) return;
    try {
      if (this.#isWritten && this.#count > this.#tailFirst) this.#flush();
    } finally {
      closeSync(this.#file);
    }
  }

  #flush(): void {
    if (this.#file === undefined) return;
    const run = encode(this.#tail, this.#count - this.#tailFirst);
    for (let done = 0; done < run.length; )
      done += writeSync(this.#file, run, done, run.length - done, this.#size + done);
    this.#tail.clear();
    this.#load(this.#file, this.#size + run.length);
  }

  /** Runs from where the last one ends. */
  #load(file: number, size: number): void {
    while (this.#size + headerBytes <= size) {
      const header = readAt(file, headerBytes, this.#size);
      const [found = 0, entries = 0, names = 0, places = 0] = [0, 4, 8, 12].map((at) => header.readUInt32LE(at));
      const fenceBytes = 4 * Math.ceil(names / namesAtOnce);
      const namesAt = this.#size + headerBytes + fenceBytes;
      const placesAt = namesAt + names * nameBytes;
      const end = placesAt + places * placeBytes;
      if (found !== magic || entries > entriesOfRun || end > size) return;
      const fences = numbersOf(readAt(file, fenceBytes, this.#size + headerBytes));
      this.#runs.push({ first: this.#tailFirst, fences, names, namesAt, placesAt });
      this.#tailFirst += entries;
      this.#count = Math.max(this.#count, this.#tailFirst);
      this.#size = end;
    }
  }

  #placesIn({ fences, names, namesAt, placesAt }: Run, hash: number): Iterable<number> {
    const block = lastAtMost(fences, hash);
    if (this.#file === undefined || block < 0) return [];
    const first = block * namesAtOnce;
    const count = Math.min(namesAtOnce, names - first);
    // With the name before the first, whose end is where the places of the first begin.
    const before = Math.min(first, 1);
    const table = numbersOf(readAt(this.#file, (before + count) * nameBytes, namesAt + (first - before) * nameBytes));
    for (let index = before; index < before + count; index += 1) {
      if (table[2 * index] !== hash) continue;
      const [start = 0, end = 0] = [table[2 * index - 1], table[2 * index + 1]];
      const bytes = readAt(this.#file, (end - start) * placeBytes, placesAt + start * placeBytes);
      return new Uint16Array(bytes.buffer, bytes.byteOffset, end - start);
    }
    return [];
  }
}

function encode(tail: ReadonlyMap<number, readonly number[]>, entries: number): Buffer {
  const hashes = Uint32Array.from(tail.keys()).sort();
  const fences = hashes.filter((_, index) => index % namesAtOnce === 0);
  const names = new Uint32Array(2 * hashes.length);
  const places: number[] = [];
  for (const [index, hash] of hashes.entries()) {
    for (const place of tail.get(hash) ?? []) places.push(place);
    names.set([hash, places.length], 2 * index);
  }
  const header = Uint32Array.of(magic, entries, hashes.length, places.length);
  const parts = [header, fences, names, Uint16Array.from(places)];
  return Buffer.concat(parts.map(({ buffer }) => Buffer.from(buffer)));
}

const placesFrom = (first: number, places: Iterable<number>): NamePlace[] =>
  Array.from(places, (place) => ({ entry: first + (place >> roleBits), roles: place & (2 ** roleBits - 1) }));

/** Short where the file is: what is read beyond its end is 0. In memory of its own, so that numbers in it are aligned. */
function readAt(file: number, length: number, at: number): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(length));
  readSync(file, bytes, 0, length, at);
  return bytes;
}

const numbersOf = ({ buffer, byteOffset, length }: Buffer): Uint32Array =>
  new Uint32Array(buffer, byteOffset, length >> 2);

/** The index of the last of sorted numbers that is not larger than another; -1 where all are. */
function lastAtMost(numbers: Uint32Array, limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
