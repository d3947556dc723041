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
  /** By hash as Latin-1, which takes half the memory of hexadecimal digits. */
  readonly #numbers = new Map<string, number>();
  readonly #hashBytes: number;
  readonly #parentStarts: Uint32Array;
  readonly #parentHashes: Buffer;
  readonly #parents: Uint32Array;

  constructor(parts: readonly CommitColumns[]) {
    this.#hashBytes = parts.find(({ times }) => times.length > 0)?.hashBytes ?? 20;
    this.size = parts.reduce((sum, { times }) => sum + times.length, 0);
    const hashes = Buffer.concat(parts.map((part) => part.hashes));
    // Of equal hashes the first number stays.
    for (let number = this.size - 1; number >= 0; number--) this.#numbers.set(this.#keyAt(hashes, number), number);
    this.#parentHashes = Buffer.concat(parts.map(({ parents }) => parents));
    this.#parentStarts = new Uint32Array(this.size + 1);
    let [commit, edge] = [0, 0];
    for (const { parentStarts } of parts) {
      for (let i = 1; i < parentStarts.length; i++) this.#parentStarts[++commit] = edge + (parentStarts[i] ?? 0);
      edge += parentStarts.at(-1) ?? 0;
    }
    this.#parents = Uint32Array.from(
      { length: edge },
      (_, index) => this.#numbers.get(this.#keyAt(this.#parentHashes, index)) ?? absent,
    );
  }

  numberOf(hash: string): number | undefined {
    return this.#numbers.get(Buffer.from(hash, 'hex').toString('latin1'));
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
        if (parent === absent)
          missing.add(Buffer.from(this.#keyAt(this.#parentHashes, edge), 'latin1').toString('hex'));
        else if (marks[parent] === 0) waiting.push(parent);
      }
    }
  }

  #keyAt(hashes: Buffer, index: number): string {
    return hashes.toString('latin1', index * this.#hashBytes, (index + 1) * this.#hashBytes);
  }
}
