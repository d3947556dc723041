import type { CommitColumns } from '@sextant/contracts';
import type { Tips } from '../request/tips.ts';

const isWanted = 1;
const isExcluded = 2;
const absent = 0xffff_ffff;

/** Result of a walk from some tips. */
export interface Reach {
  /** Commit → 1 where it is reached. */
  readonly marks: Uint8Array;
  /** Hashes of commits on the way that the graph does not have. */
  readonly missing: readonly string[];
}

/** Commits and their parents. They are numbered through all parts. A commit that is in two parts has the first number. */
export class CommitGraph {
  readonly size: number;
  readonly #numbers: HashNumbers;
  readonly #hashBytes: number;
  readonly #parentStarts: Uint32Array;
  readonly #parentHashes: Buffer;
  readonly #parents: Uint32Array;

  constructor(parts: readonly CommitColumns[]) {
    this.#hashBytes = parts.find(({ times }) => times.length > 0)?.hashBytes ?? 20;
    this.size = parts.reduce((sum, { times }) => sum + times.length, 0);
    this.#numbers = new HashNumbers(Buffer.concat(parts.map(({ hashes }) => hashes)), this.#hashBytes);
    this.#parentHashes = Buffer.concat(parts.map(({ parents }) => parents));
    this.#parentStarts = new Uint32Array(this.size + 1);
    let [commit, edge] = [0, 0];
    for (const { parentStarts } of parts) {
      for (let i = 1; i < parentStarts.length; i++) this.#parentStarts[++commit] = edge + (parentStarts[i] ?? 0);
      edge += parentStarts.at(-1) ?? 0;
    }
    this.#parents = Uint32Array.from(
      { length: edge },
      (_, index) => this.#numbers.find(this.#parentHashes, index * this.#hashBytes) ?? absent,
    );
  }

  numberOf(hash: string): number | undefined {
    return this.#numbers.find(Buffer.from(hash, 'hex'));
  }

  reach({ include, exclude }: Tips): Reach {
    const marks = new Uint8Array(this.size);
    const missing = new Set<string>();
    // An excluded tip excludes everything that it reaches, so it is marked first.
    this.#mark(exclude, { marks, mark: isExcluded, missing });
    this.#mark(include, { marks, mark: isWanted, missing });
    for (let i = 0; i < marks.length; i++) if (marks[i] === isExcluded) marks[i] = 0;
    return { marks, missing: [...missing] };
  }

  #mark(tips: readonly string[], { marks, mark, missing }: { marks: Uint8Array; mark: number; missing: Set<string> }) {
    const waiting: number[] = [];
    for (const hash of tips) {
      const number = this.numberOf(hash);
      if (number === undefined) missing.add(hash);
      else waiting.push(number);
    }
    for (let commit = waiting.pop(); commit !== undefined; commit = waiting.pop()) {
      if (marks[commit] !== 0) continue;
      marks[commit] = mark;
      const end = this.#parentStarts[commit + 1] ?? 0;
      for (let edge = this.#parentStarts[commit] ?? 0; edge < end; edge++) {
        const parent = this.#parents[edge] ?? absent;
        if (parent === absent) missing.add(this.#parentHash(edge));
        else if (marks[parent] === 0) waiting.push(parent);
      }
    }
  }

  #parentHash(edge: number): string {
    return this.#parentHashes.toString('hex', edge * this.#hashBytes, (edge + 1) * this.#hashBytes);
  }
}

/** A hash table from git's hashes to their numbers in one array of hashes. A map of strings would take far more memory. */
class HashNumbers {
  readonly #hashes: Buffer;
  readonly #hashBytes: number;
  /** A number plus one; 0 for an empty slot. */
  readonly #slots: Uint32Array;

  constructor(hashes: Uint8Array, hashBytes: number) {
    this.#hashes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.length);
    this.#hashBytes = hashBytes;
    const count = hashes.length / hashBytes;
    this.#slots = new Uint32Array(1 << (34 - Math.clz32(count + 1)));
    for (let number = 0; number < count; number++) {
      const at = number * hashBytes;
      const slot = this.#slotOf(this.#hashes, at);
      // Of equal hashes the first number stays.
      if (this.#slots[slot] === 0) this.#slots[slot] = number + 1;
    }
  }

  /** The first number of the hash that stands in `bytes` at `at`. */
  find(bytes: Buffer, at = 0): number | undefined {
    const number = (this.#slots[this.#slotOf(bytes, at)] ?? 0) - 1;
    return number < 0 ? undefined : number;
  }

  /** The slot of a hash, or the empty slot where it would be put. */
  #slotOf(bytes: Buffer, at: number): number {
    const mask = this.#slots.length - 1;
    // Hashes are random, so their first bytes serve as the hash of the hash.
    let slot = at + 4 <= bytes.length ? bytes.readUInt32LE(at) & mask : 0;
    for (let held = this.#slots[slot] ?? 0; held !== 0; held = this.#slots[slot] ?? 0) {
      const from = (held - 1) * this.#hashBytes;
      if (this.#hashes.compare(bytes, at, at + this.#hashBytes, from, from + this.#hashBytes) === 0) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  }
}
