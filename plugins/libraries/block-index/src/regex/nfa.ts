import type { Border } from './parse.ts';
import { DONE, FAIL } from './program.ts';
import type { Utf8Dfa, Instruction, Program } from './program.ts';

/** What is read beside a place. */
export type Context = 'border' | 'word' | 'other';

interface Around {
  readonly before: Context;
  readonly after: Context;
}

const CHARACTER = 0;
const SPLIT = 1;
const BORDER = 2;
const MATCH = 3;
const KINDS: Readonly<Record<Instruction['op'], number>> = {
  character: CHARACTER,
  split: SPLIT,
  border: BORDER,
  match: MATCH,
};

/**
 * The threads of a program: each is a place in it, and in the character that is read there. A huge program has thousands at once, and
 * others after nearly each byte, so they are numbers in arrays.
 */
export class NfaSimulation {
  /** Those that were reached last, each once, preferred first; `reached` of them. */
  readonly list: Int32Array;
  reached = 0;
  readonly #program: Program;
  /** NfaSimulation of an instruction. */
  readonly #stride: number;
  readonly #kind: Uint8Array;
  /** Where it goes on: after the whole character, or what is preferred of two. */
  readonly #next: Int32Array;
  /** What is less preferred; of a character its first thread. */
  readonly #other: Int32Array;
  readonly #borders = new Map<number, Border>();
  /** The tables of the machines of all characters, and where the row of each thread begins. */
  readonly #tables: Uint16Array;
  readonly #row: Int32Array;
  readonly #seen: Uint32Array;
  #generation = 0;
  readonly #pending: Int32Array;
  readonly #moved: Int32Array;

  constructor(program: Program) {
    const { instructions } = program;
    const machines = new Map<Utf8Dfa, number>();
    let rows = 0;
    for (const each of instructions) {
      if (each.op !== 'character' || machines.has(each.machine)) continue;
      machines.set(each.machine, rows);
      rows += each.machine.next.length;
    }
    this.#program = program;
    this.#stride = Math.max(1, ...[...machines.keys()].map(({ states }) => states));
    this.#tables = new Uint16Array(rows);
    for (const [machine, row] of machines) this.#tables.set(machine.next, row);
    const size = instructions.length * this.#stride;
    this.#kind = new Uint8Array(size);
    this.#seen = new Uint32Array(size);
    const numbers = (): Int32Array => new Int32Array(size);
    this.list = numbers();
    this.#moved = numbers();
    this.#next = numbers();
    this.#other = numbers();
    this.#row = numbers();
    this.#pending = new Int32Array(2 * size + 1); // each choice adds two
    instructions.forEach((each, place) => {
      this.#write(each, place * this.#stride, machines);
    });
  }

  /** What the program begins with. */
  begin(): void {
    this.#moved[0] = this.#program.start * this.#stride;
    this.#close(1, undefined);
  }

  /** Goes on from some threads over a byte, or over the end of the line. Tells whether a match ends there. */
  step(threads: Int32Array, byte: number | undefined, around: Around): boolean {
    let from = threads;
    let size = threads.length;
    if (this.#borders.size > 0) {
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
        if (!this.#program.isBackward) break; // what is less preferred than a match does not count
      } else if (this.#kind[thread] === CHARACTER && byte !== undefined) {
        const to = this.#tables[(this.#row[thread] ?? 0) + byte] ?? FAIL;
        if (to === DONE) this.#moved[moved++] = this.#next[thread] ?? 0;
        else if (to !== FAIL) this.#moved[moved++] = (this.#other[thread] ?? 0) + to;
      }
    }
    this.#close(moved, undefined);
    return isMatch;
  }

  /** About how many numbers of four bytes all arrays have: six are as long as the list, one is twice as long. */
  get numbers(): number {
    return 9 * this.list.length;
  }

  /** Whether those that were reached last are these: in this order, or backwards, where nothing is preferred, in any. */
  isReached(threads: Int32Array): boolean {
    if (threads.length !== this.reached) return false;
    if (this.#program.isBackward) return threads.every((thread) => this.#seen[thread] === this.#generation);
    return threads.every((thread, i) => this.list[i] === thread);
  }

  /** A number that is the same for the same threads. */
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

  #write(instruction: Instruction, first: number, machines: ReadonlyMap<Utf8Dfa, number>): void {
    const threads = instruction.op === 'character' ? instruction.machine.states : 1;
    for (let state = 0; state < threads; state++) {
      const thread = first + state;
      this.#kind[thread] = KINDS[instruction.op];
      if (instruction.op === 'split') {
        this.#next[thread] = instruction.first * this.#stride;
        this.#other[thread] = instruction.second * this.#stride;
      } else if (instruction.op !== 'match') this.#next[thread] = instruction.next * this.#stride;
      if (instruction.op === 'border') this.#borders.set(thread, instruction.at);
      if (instruction.op !== 'character') continue;
      this.#other[thread] = first;
      this.#row[thread] = (machines.get(instruction.machine) ?? 0) + state * 256;
    }
  }

  /** Lists what can be reached without reading from the first of those that have moved. Borders stay unless it is known what is around. */
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
        } else if (kind === BORDER && around) {
          if (this.#holds(thread, around)) pending[left++] = this.#next[thread] ?? 0;
        } else this.list[size++] = thread;
      }
    }
    this.reached = size;
  }

  #holds(thread: number, { before, after }: Around): boolean {
    switch (this.#borders.get(thread)) {
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
