import type { Assertion } from './parse.ts';
import { DONE, FAIL } from './program.ts';
import type { Utf8Dfa, Instruction, Program } from './program.ts';

/** What is next to a position, for assertions. */
export type Context = 'border' | 'word' | 'other';

interface Around {
  readonly before: Context;
  readonly after: Context;
}

const CHARACTER = 0;
const SPLIT = 1;
const ASSERTION = 2;
const MATCH = 3;
const KINDS: Readonly<Record<Instruction['op'], number>> = {
  character: CHARACTER,
  split: SPLIT,
  assertion: ASSERTION,
  match: MATCH,
};

/**
 * Simulates a program byte by byte (Thompson, Pike). A thread is an instruction and a state of the UTF-8 DFA of its character.
 * A large program has thousands of threads, and others after nearly every byte, so threads are numbers in typed arrays.
 */
export class NfaSimulation {
  /** The first `reached` entries are the current threads, each once, in order of preference. */
  readonly list: Int32Array;
  reached = 0;
  readonly #program: Program;
  /** Threads per instruction. */
  readonly #stride: number;
  readonly #kind: Uint8Array;
  /** By thread: the thread after the whole character, or the preferred branch of a split. */
  readonly #next: Int32Array;
  /** By thread: the other branch of a split, or the first thread of a character. */
  readonly #other: Int32Array;
  readonly #assertions = new Map<number, Assertion>();
  /** The transitions of all UTF-8 DFAs, and by thread where its row begins. */
  readonly #tables: Uint16Array;
  readonly #row: Int32Array;
  readonly #seen: Uint32Array;
  #generation = 0;
  readonly #pending: Int32Array;
  readonly #moved: Int32Array;

  constructor(program: Program) {
    const { instructions } = program;
    const dfas = new Map<Utf8Dfa, number>();
    let rows = 0;
    for (const each of instructions) {
      if (each.op !== 'character' || dfas.has(each.dfa)) continue;
      dfas.set(each.dfa, rows);
      rows += each.dfa.next.length;
    }
    this.#program = program;
    this.#stride = Math.max(1, ...[...dfas.keys()].map(({ states }) => states));
    this.#tables = new Uint16Array(rows);
    for (const [dfa, row] of dfas) this.#tables.set(dfa.next, row);
    const size = instructions.length * this.#stride;
    this.#kind = new Uint8Array(size);
    this.#seen = new Uint32Array(size);
    const numbers = (): Int32Array => new Int32Array(size);
    this.list = numbers();
    this.#moved = numbers();
    this.#next = numbers();
    this.#other = numbers();
    this.#row = numbers();
    this.#pending = new Int32Array(2 * size + 1); // each split adds two
    instructions.forEach((each, place) => {
      this.#write(each, place * this.#stride, dfas);
    });
  }

  /** Sets the threads at the start of the program. */
  begin(): void {
    this.#moved[0] = this.#program.start * this.#stride;
    this.#close(1, undefined);
  }

  /** Steps from some threads over a byte, or over the end of the line. Returns whether a match ends before it. */
  step(threads: Int32Array, byte: number | undefined, around: Around): boolean {
    let from = threads;
    let size = threads.length;
    if (this.#assertions.size > 0) {
      this.#moved.set(threads);
      this.#close(size, around);
      from = this.list;
      size = this.reached;
    }
    let moved = 0;
    let isMatch = false;
    for (let i = 0; i < size; i++) {
      const thread = from[i] ?? 0;
      if (this.#kind[thread] === MATCH) {
        isMatch = true;
        if (!this.#program.isBackward) break; // less preferred threads do not count after a match
      } else if (this.#kind[thread] === CHARACTER && byte !== undefined) {
        const to = this.#tables[(this.#row[thread] ?? 0) + byte] ?? FAIL;
        if (to === DONE) this.#moved[moved++] = this.#next[thread] ?? 0;
        else if (to !== FAIL) this.#moved[moved++] = (this.#other[thread] ?? 0) + to;
      }
    }
    this.#close(moved, undefined);
    return isMatch;
  }

  /** Approximate size of all arrays, in numbers of four bytes. */
  get numbers(): number {
    return 9 * this.list.length;
  }

  /** Whether the current threads are these. The order counts only forward, because a backward program has no preferences. */
  isReached(threads: Int32Array): boolean {
    if (threads.length !== this.reached) return false;
    if (this.#program.isBackward) return threads.every((thread) => this.#seen[thread] === this.#generation);
    return threads.every((thread, i) => this.list[i] === thread);
  }

  /** A hash of the current threads. */
  get hash(): number {
    let hash = 0;
    for (let i = 0; i < this.reached; i++) {
      const mixed = Math.imul((this.list[i] ?? 0) + 1, 0x9e37_79b1);
      hash = this.#program.isBackward
        ? (hash + (mixed ^ (mixed >>> 15))) | 0
        : Math.imul(hash ^ mixed, 0x85eb_ca6b) ^ (hash >>> 13);
    }
    return hash;
  }

  #write(instruction: Instruction, first: number, dfas: ReadonlyMap<Utf8Dfa, number>): void {
    const threads = instruction.op === 'character' ? instruction.dfa.states : 1;
    for (let state = 0; state < threads; state++) {
      const thread = first + state;
      this.#kind[thread] = KINDS[instruction.op];
      if (instruction.op === 'split') {
        this.#next[thread] = instruction.first * this.#stride;
        this.#other[thread] = instruction.second * this.#stride;
      } else if (instruction.op !== 'match') this.#next[thread] = instruction.next * this.#stride;
      if (instruction.op === 'assertion') this.#assertions.set(thread, instruction.at);
      if (instruction.op !== 'character') continue;
      this.#other[thread] = first;
      this.#row[thread] = (dfas.get(instruction.dfa) ?? 0) + state * 256;
    }
  }

  /** Sets the threads reachable from the first `moved` ones without reading. Assertions stay as threads unless `around` is known. */
  #close(moved: number, around: Around | undefined): void {
    const generation = ++this.#generation;
    const pending = this.#pending;
    let size = 0;
    for (let i = 0; i < moved; i++) {
      pending[0] = this.#moved[i] ?? 0;
      for (let left = 1; left > 0; ) {
        const thread = pending[--left] ?? 0;
        if (this.#seen[thread] === generation) continue;
        this.#seen[thread] = generation;
        const kind = this.#kind[thread];
        if (kind === SPLIT) {
          pending[left++] = this.#other[thread] ?? 0;
          pending[left++] = this.#next[thread] ?? 0;
        } else if (kind === ASSERTION && around) {
          if (this.#holds(thread, around)) pending[left++] = this.#next[thread] ?? 0;
        } else this.list[size++] = thread;
      }
    }
    this.reached = size;
  }

  #holds(thread: number, { before, after }: Around): boolean {
    switch (this.#assertions.get(thread)) {
      case 'lineStart':
        return before === 'border';
      case 'lineEnd':
        return after === 'border';
      case 'word':
        return (before === 'word') !== (after === 'word');
      default:
        return (before === 'word') === (after === 'word');
    }
  }
}
