import type { Tips } from '../git/tips.ts';
import { HashNumbers } from './hash-numbers.ts';
import type { GraphPart } from './outline.ts';

const isWanted = 1;
const isExcluded = 2;
const absent = 0xffff_ffff;
/** Walks that are remembered. */
const mostReaches = 8;

/** What a walk from some tips found. */
export interface Reach {
  /** Commit → 1 where it is reached. */
  readonly marks: Uint8Array;
  /** Hashes of commits that the graph does not have, on the way. */
  readonly missing: readonly string[];
}

/** The parents of commits. They are numbered through all parts; what stands in two parts has the first number. */
export class CommitGraph {
  readonly size: number;
  readonly #numbers: HashNumbers;
  readonly #hashBytes: number;
  readonly #parentStarts: Uint32Array;
  readonly #parentHashes: Buffer;
  readonly #parents: Uint32Array;
  readonly #reaches = new Map<string, Reach>();

  constructor(parts: readonly GraphPart[]) {
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
    const key = [...include, '^', ...exclude].join(' ');
    const known = this.#reaches.get(key) ?? this.#walk({ include, exclude });
    // A map is in the order of insertion: the first is the one that was not asked for longest.
    this.#reaches.delete(key);
    this.#reaches.set(key, known);
    const [oldest] = this.#reaches.keys();
    if (this.#reaches.size > mostReaches && oldest !== undefined) this.#reaches.delete(oldest);
    return known;
  }

  #walk({ include, exclude }: Tips): Reach {
    const marks = new Uint8Array(this.size);
    const missing = new Set<string>();
    // What is excluded is excluded with all that lies behind it: so it is marked first.
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
