import { LimitError } from '../errors.ts';
import type { LazyAutomaton, Workspace } from '../workspace.ts';
import { byteClasses, isWordByte } from './byte-classes.ts';
import type { ByteClasses } from './byte-classes.ts';
import { DONE, FAIL } from './byte-machine.ts';
import type { Instruction, Program } from './program.ts';

/** Entries of the table, as in assembly/automaton.ts. */
const UNKNOWN = 0xffff_ffff;
const MATCH = 0x8000_0000;
const DEAD = 0x4000_0000;
const TABLE_BYTES = 1 << 19;
const RECORD_BYTES = 32;
const FORWARDS = 24;
const CLASSES_BYTES = 512;
/** Threads remembered for all states together, so that huge programs do not fill the memory of the process. */
const MOST_THREADS = 1_000_000;
const LARGE_THREADS = 100_000;

/** What was read last: decides about borders together with what is read next. */
type Neighbour = 'border' | 'word' | 'other';
const NEIGHBOURS: readonly Neighbour[] = ['border', 'word', 'other'];

interface State {
  /** Places in the program, preferred first: instruction * stride + state of its machine. */
  readonly threads: readonly number[];
  readonly before: Neighbour;
}

/**
 * The deterministic automaton of a program, built while it runs. Its rows live in the workspace's memory, where the kernel reads
 * them; when they are full the table starts over. Time is linear in the text for every program.
 */
export class Automaton implements LazyAutomaton {
  /** Of the kernel's record. */
  readonly address: number;
  readonly #workspace: Workspace;
  readonly #program: Program;
  readonly #classes: ByteClasses;
  readonly #columns: number;
  readonly #stride: number;
  readonly #table: Uint32Array;
  readonly #seen: Uint32Array;
  readonly #hasBorders: boolean;
  readonly #onFull: (() => void) | undefined;
  #generation = 0;
  #states: State[] = [];
  #rows = new Map<string, number>();
  #threads = 0;

  /** `onFull` is called when the table starts over. */
  constructor(workspace: Workspace, program: Program, onFull?: () => void) {
    this.#workspace = workspace;
    this.#program = program;
    this.#onFull = onFull;
    this.#classes = byteClasses(program);
    this.#hasBorders = program.instructions.some(({ op }) => op === 'border');
    this.#columns = this.#classes.samples.length + 1;
    this.#stride = Math.max(
      1,
      ...program.instructions.map((instruction) => (instruction.op === 'character' ? instruction.machine.states : 1)),
    );
    this.#seen = new Uint32Array(program.instructions.length * this.#stride);
    const { arena } = workspace;
    this.address = arena.allocate(RECORD_BYTES + CLASSES_BYTES + TABLE_BYTES);
    const classes = this.address + RECORD_BYTES;
    const table = classes + CLASSES_BYTES;
    this.#table = arena.words(table, TABLE_BYTES / 4);
    arena.words(this.address, 3).set([table, classes, (this.#columns - 1) * 4]);
    arena.words(this.address + FORWARDS, 1).fill(0);
    new Uint16Array(arena.u8.buffer, classes, 256).set(this.#classes.of.map((group) => group * 4));
    workspace.use(this.address, this);
    this.#startOver();
  }

  /** Backwards: the first places are tried with this one before it is asked, see assembly/automaton.ts. */
  tryBefore({ address }: Automaton): void {
    this.#workspace.arena.words(this.address + FORWARDS, 1).fill(address);
  }

  release(): void {
    this.#workspace.drop(this.address);
    this.#workspace.arena.release(this.address);
  }

  /** Whether its states take much memory of the process. */
  get isLarge(): boolean {
    return this.#threads > LARGE_THREADS;
  }

  fill(row: number, column: number): number {
    const state = this.#states[row / 4 / this.#columns];
    if (!state) throw new LimitError('the table of the regular expression lost a row'); // cannot happen: rows are forgotten here only
    const byte = this.#classes.samples[column / 4];
    const isStartOver = this.#isFull;
    if (isStartOver) {
      this.#startOver();
      this.#onFull?.();
    }
    const entry = this.#step(state, byte);
    if (!isStartOver) this.#table[(row + column) / 4] = entry;
    return entry;
  }

  get #isFull(): boolean {
    return (this.#states.length + 1) * this.#columns > this.#table.length || this.#threads > MOST_THREADS;
  }

  #startOver(): void {
    this.#states = [];
    this.#rows.clear();
    this.#threads = 0;
    const first = NEIGHBOURS.map((before) =>
      this.#enter([...this.#closed([this.#program.start * this.#stride], undefined)], before),
    );
    this.#workspace.arena.words(this.address + 12, 3).set(first);
  }

  /** The entry of a state for a byte, or for the end of the line. */
  #step({ threads, before }: State, byte: number | undefined): number {
    const after = neighbour(byte);
    const closed = this.#hasBorders ? [...this.#closed(threads, { before, after })] : threads;
    const next: number[] = [];
    let isMatch = false;
    for (const thread of closed) {
      const instruction = this.#instruction(thread);
      if (instruction.op === 'match') {
        isMatch = true;
        if (!this.#program.isBackward) break; // what is less preferred than a match does not count
      } else if (instruction.op === 'character' && byte !== undefined) {
        const sub = thread % this.#stride;
        const to = instruction.machine.next[sub * 256 + byte] ?? FAIL;
        if (to === DONE) next.push(instruction.next * this.#stride);
        else if (to !== FAIL) next.push(thread - sub + to);
      }
    }
    const flag = isMatch ? MATCH : 0;
    const rest = [...this.#closed(next, undefined)];
    return rest.length === 0 ? flag + DEAD : flag + this.#enter(rest, this.#program.hasWordBorders ? after : 'other');
  }

  /** Row of a state, a new one if there is none yet. */
  #enter(threads: readonly number[], before: Neighbour): number {
    const ordered = this.#program.isBackward ? threads.toSorted((a, b) => a - b) : threads;
    const key = `${before} ${ordered.join()}`;
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#states.length * this.#columns * 4;
    this.#rows.set(key, row);
    this.#states.push({ threads: ordered, before });
    this.#threads += ordered.length;
    this.#table.fill(UNKNOWN, row / 4, row / 4 + this.#columns);
    return row;
  }

  /** What can be reached without reading, each once, preferred first. Borders stay unless it is known what is around. */
  *#closed(threads: readonly number[], around: { before: Neighbour; after: Neighbour } | undefined): Generator<number> {
    const generation = ++this.#generation;
    const stack: number[] = [];
    for (const start of threads) {
      stack.push(start);
      for (let thread = stack.pop(); thread !== undefined; thread = stack.pop()) {
        if (this.#seen[thread] === generation) continue;
        this.#seen[thread] = generation;
        const instruction = this.#instruction(thread);
        if (instruction.op === 'split') stack.push(instruction.second * this.#stride, instruction.first * this.#stride);
        else if (instruction.op === 'border' && around) {
          if (this.#holds(instruction, around)) stack.push(instruction.next * this.#stride);
        } else yield thread;
      }
    }
  }

  #holds(
    { at }: Extract<Instruction, { op: 'border' }>,
    { before, after }: { before: Neighbour; after: Neighbour },
  ): boolean {
    switch (at) {
      case 'lineStart':
        return before === 'border';
      case 'lineEnd':
        return after === 'border';
      case 'word':
        return (before === 'word') !== (after === 'word');
      case 'notWord':
        return (before === 'word') === (after === 'word');
    }
  }

  #instruction(thread: number): Instruction {
    const instruction = this.#program.instructions[Math.floor(thread / this.#stride)];
    if (!instruction) throw new Error('a thread left its program');
    return instruction;
  }
}

function neighbour(byte: number | undefined): Neighbour {
  if (byte === undefined) return 'border';
  return isWordByte(byte) ? 'word' : 'other';
}
