import { LimitError } from '../errors.ts';
import type { CompiledRegex } from '../match/compiled-term.ts';
import type { DfaTable, Workspace } from '../workspace.ts';
import { NfaSimulation } from './nfa.ts';
import type { Context } from './nfa.ts';
import { byteClasses, isWordByte } from './program.ts';
import type { ByteClasses, Program } from './program.ts';

/** Entries of the table, as in assembly/automaton.ts. */
const UNKNOWN = 0xffff_ffff;
const MATCH = 0x8000_0000;
const DEAD = 0x4000_0000;
const TABLE_BYTES = 1 << 19;
const RECORD_BYTES = 32;
const FORWARDS = 24;
const CLASSES_BYTES = 512;
/** NfaSimulation remembered for all states together, so that huge programs do not fill the memory of the process. */
const MOST_THREADS = 2_000_000;
const LARGE_THREADS = 200_000;

const NEIGHBOURS: readonly Context[] = ['border', 'word', 'other'];

interface State {
  readonly row: number;
  /** Places in the program, preferred first. */
  readonly threads: Int32Array;
  /** What was read last. */
  readonly before: Context;
  /** Another one with the same hash. */
  readonly other: State | undefined;
}

/**
 * The deterministic automaton of a program, built while it runs. Its rows live in the workspace's memory, where the kernel reads
 * them; when they are full the table starts over. Time is linear in the text for every program.
 */
export class LazyDfa implements DfaTable {
  /** Of the kernel's record. */
  readonly address: number;
  readonly #workspace: Workspace;
  readonly #program: Program;
  readonly #places: NfaSimulation;
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
    this.#places = new NfaSimulation(program);
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
  tryBefore({ address }: LazyDfa): void {
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
  #enter(before: Context): number {
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

function neighbour(byte: number | undefined): Context {
  if (byte === undefined) return 'border';
  return isWordByte(byte) ? 'word' : 'other';
}

interface Pair {
  readonly forward: LazyDfa;
  readonly backward: LazyDfa;
  /** For matches that start where it begins to read: made where there are too many states backwards. */
  anchored?: LazyDfa;
  users: number;
}

/** Pairs that nobody uses and that are kept: about a megabyte each; large ones are not. */
const MOST_RESTING = 4;

/**
 * The dfas of a workspace, which every search for an expression shares: the next shard, and the next search, go on with the states
 * that are known. The kernel keeps nothing of a table between two calls.
 */
export class DfaCache {
  /** By the key of the expression, those that were used last at the end. */
  readonly #pairs = new Map<string, Pair>();
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Where the kernel finds them; let them go again. Throws LimitError. */
  use(regex: CompiledRegex): { forward: number; backward: number } {
    const pair = this.#pairs.get(regex.key) ?? this.#make(regex);
    pair.users += 1;
    this.#pairs.delete(regex.key);
    this.#pairs.set(regex.key, pair);
    return { forward: pair.forward.address, backward: pair.backward.address };
  }

  letGo({ key }: CompiledRegex): void {
    const pair = this.#pairs.get(key);
    if (!pair) return;
    pair.users -= 1;
    if (pair.users === 0 && (pair.forward.isLarge || pair.backward.isLarge)) this.#drop(key, pair);
    this.keepOnly(MOST_RESTING);
  }

  /** Gives back the memory of those that nobody uses, but for the ones that were used last. */
  keepOnly(most: number): void {
    const resting = [...this.#pairs].filter(([, { users }]) => users === 0);
    for (const [key, pair] of resting.slice(0, Math.max(0, resting.length - most))) this.#drop(key, pair);
  }

  #drop(key: string, { forward, backward, anchored }: Pair): void {
    this.#pairs.delete(key);
    forward.release();
    backward.release();
    anchored?.release();
  }

  #make(regex: CompiledRegex): Pair {
    try {
      return this.#makeNow(regex);
    } catch (error) {
      if (!(error instanceof LimitError)) throw error;
      this.keepOnly(0);
      return this.#makeNow(regex);
    }
  }

  #makeNow({ forward, backward }: CompiledRegex): Pair {
    const first = new LazyDfa(this.#workspace, forward);
    try {
      const last = new LazyDfa(this.#workspace, backward, () => this.#anchor(pair, forward));
      const pair: Pair = { forward: first, backward: last, users: 0 };
      return pair;
    } catch (error) {
      first.release();
      throw error;
    }
  }

  /** Backwards `\D{1,100}\S.*` remembers where each of the last hundred characters was no space: for nearly each byte a new state. */
  #anchor(pair: Pair, forward: Program): void {
    if (pair.anchored) return;
    try {
      pair.anchored = new LazyDfa(this.#workspace, { ...forward, start: forward.anchored });
      pair.backward.tryBefore(pair.anchored);
    } catch (error) {
      // Without it the search takes longer.
      if (!(error instanceof LimitError)) throw error;
    }
  }
}
