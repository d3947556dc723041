import { LimitError } from '../format/errors.ts';
import type { LazyAutomaton, Workspace } from '../kernel/workspace.ts';
import { byteClasses, isWordByte } from './byte-classes.ts';
import type { ByteClasses } from './byte-classes.ts';
import type { Program } from './program.ts';
import { Threads } from './threads.ts';
import type { Neighbour } from './threads.ts';

/** Entries of the table, as in assembly/automaton.ts. */
const UNKNOWN = 0xffff_ffff;
const MATCH = 0x8000_0000;
const DEAD = 0x4000_0000;
const TABLE_BYTES = 1 << 19;
const RECORD_BYTES = 32;
const FORWARDS = 24;
const CLASSES_BYTES = 512;
/** Threads remembered for all states together, so that huge programs do not fill the memory of the process. */
const MOST_THREADS = 2_000_000;
const LARGE_THREADS = 200_000;

const NEIGHBOURS: readonly Neighbour[] = ['border', 'word', 'other'];

interface State {
  readonly row: number;
  /** Places in the program, preferred first. */
  readonly threads: Int32Array;
  /** What was read last. */
  readonly before: Neighbour;
  /** Another one with the same hash. */
  readonly other: State | undefined;
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
  readonly #places: Threads;
  readonly #classes: ByteClasses;
  readonly #columns: number;
  readonly #table: Uint32Array;
  readonly #onFull: (() => void) | undefined;
  #states: State[] = [];
  #byHash = new Map<number, State>();
  #threads = 0;

  /** `onFull` is called when the table starts over. */
  constructor(workspace: Workspace, program: Program, onFull?: () => void) {
    this.#workspace = workspace;
    this.#program = program;
    this.#places = new Threads(program);
    this.#onFull = onFull;
    this.#classes = byteClasses(program);
    this.#columns = this.#classes.samples.length + 1;
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
    return this.#threads + this.#places.numbers > LARGE_THREADS;
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
    this.#byHash.clear();
    this.#threads = 0;
    this.#places.begin();
    const first = NEIGHBOURS.map((before) => this.#enter(before));
    this.#workspace.arena.words(this.address + 12, 3).set(first);
  }

  /** The entry of a state for a byte, or for the end of the line. */
  #step({ threads, before }: State, byte: number | undefined): number {
    const after = neighbour(byte);
    const flag = this.#places.step(threads, byte, { before, after }) ? MATCH : 0;
    if (this.#places.reached === 0) return flag + DEAD;
    return flag + this.#enter(this.#program.hasWordBorders ? after : 'other');
  }

  /** Row of the state of the threads that were reached, a new one if there is none yet. */
  #enter(before: Neighbour): number {
    const { hash, list, reached } = this.#places;
    const first = this.#byHash.get(hash);
    for (let state = first; state; state = state.other)
      if (state.before === before && this.#places.isReached(state.threads)) return state.row;
    const row = this.#states.length * this.#columns * 4;
    const state = { row, threads: list.slice(0, reached), before, other: first };
    this.#states.push(state);
    this.#byHash.set(hash, state);
    this.#threads += reached;
    this.#table.fill(UNKNOWN, row / 4, row / 4 + this.#columns);
    return row;
  }
}

function neighbour(byte: number | undefined): Neighbour {
  if (byte === undefined) return 'border';
  return isWordByte(byte) ? 'word' : 'other';
}
