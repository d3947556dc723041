import { LimitError } from '../errors.ts';
import type { CompiledRegex } from '../match/compiled-term.ts';
import type { DfaTable, Workspace } from '../workspace.ts';
import { NfaSimulation } from './nfa.ts';
import type { Context } from './nfa.ts';
import { byteClasses, isWordByte } from './program.ts';
import type { ByteClasses, Program } from './program.ts';

/** Entries of the table, see assembly/regex.ts. */
const UNKNOWN = 0xffff_ffff;
const MATCH = 0x8000_0000;
const DEAD = 0x4000_0000;
const TABLE_BYTES = 1 << 19;
const RECORD_BYTES = 32;
const ANCHORED = 24;
const CLASSES_BYTES = 512;
/** Maximum number of threads of all states together, which limits the memory of the process. */
const MAX_THREADS = 2_000_000;
const LARGE_THREADS = 200_000;

const NEIGHBOURS: readonly Context[] = ['border', 'word', 'other'];

interface State {
  readonly row: number;
  /** In order of preference. */
  readonly threads: Int32Array;
  /** The kind of the byte before. */
  readonly before: Context;
  /** The next state with the same hash. */
  readonly other: State | undefined;
}

/**
 * The lazy DFA of a program: a state is a set of NFA threads, created when the kernel first reaches it. The kernel runs the table, which
 * is in the workspace's memory. A full table is cleared, so time is linear in the text, and memory is fixed, for every program.
 */
export class LazyDfa implements DfaTable {
  /** Address of the record that the kernel reads. */
  readonly address: number;
  readonly #workspace: Workspace;
  readonly #program: Program;
  readonly #nfa: NfaSimulation;
  readonly #classes: ByteClasses;
  readonly #columns: number;
  readonly #table: Uint32Array;
  readonly #onFull: (() => void) | undefined;
  #states: State[] = [];
  #byHash = new Map<number, State>();
  #threads = 0;

  /** `onFull` is called when the table is cleared. Throws LimitError when there is no room. */
  constructor(workspace: Workspace, program: Program, onFull?: () => void) {
    this.#workspace = workspace;
    this.#program = program;
    this.#nfa = new NfaSimulation(program);
    this.#onFull = onFull;
    this.#classes = byteClasses(program);
    this.#columns = this.#classes.samples.length + 1;
    const { arena } = workspace;
    this.address = arena.allocate(RECORD_BYTES + CLASSES_BYTES + TABLE_BYTES);
    const classes = this.address + RECORD_BYTES;
    const table = classes + CLASSES_BYTES;
    this.#table = arena.words(table, TABLE_BYTES / 4);
    arena.words(this.address, 3).set([table, classes, (this.#columns - 1) * 4]);
    arena.words(this.address + ANCHORED, 1).fill(0);
    new Uint16Array(arena.u8.buffer, classes, 256).set(this.#classes.of.map((group) => group * 4));
    workspace.use(this.address, this);
    this.#startOver();
  }

  /** For a backward DFA: the kernel first tries a few start positions with this anchored forward DFA, see assembly/regex.ts. */
  tryBefore({ address }: LazyDfa): void {
    this.#workspace.arena.words(this.address + ANCHORED, 1).fill(address);
  }

  release(): void {
    this.#workspace.drop(this.address);
    this.#workspace.arena.release(this.address);
  }

  /** Whether its states take much memory. */
  get isLarge(): boolean {
    return this.#threads + this.#nfa.numbers > LARGE_THREADS;
  }

  fill(row: number, column: number): number {
    const state = this.#states[row / 4 / this.#columns];
    if (!state) throw new LimitError('the table of the regular expression lost a row'); // unreachable: rows are only cleared here
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
    return (this.#states.length + 1) * this.#columns > this.#table.length || this.#threads > MAX_THREADS;
  }

  #startOver(): void {
    this.#states = [];
    this.#byHash.clear();
    this.#threads = 0;
    this.#nfa.begin();
    const first = NEIGHBOURS.map((before) => this.#enter(before));
    this.#workspace.arena.words(this.address + 12, 3).set(first);
  }

  /** Computes the entry of a state for a byte, or for the end of the line. */
  #step({ threads, before }: State, byte: number | undefined): number {
    const after = neighbour(byte);
    const flag = this.#nfa.step(threads, byte, { before, after }) ? MATCH : 0;
    if (this.#nfa.reached === 0) return flag + DEAD;
    return flag + this.#enter(this.#program.hasWordBorders ? after : 'other');
  }

  /** Row of the state with the current threads, which is created if there is none. */
  #enter(before: Context): number {
    const { hash, list, reached } = this.#nfa;
    const first = this.#byHash.get(hash);
    for (let state = first; state; state = state.other)
      if (state.before === before && this.#nfa.isReached(state.threads)) return state.row;
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

interface DfaPair {
  readonly forward: LazyDfa;
  readonly backward: LazyDfa;
  /** Matches only where it begins to read. Created if the backward DFA gets too many states. */
  anchored?: LazyDfa;
  users: number;
}

/** Unused pairs that are kept, about a megabyte each. Large ones are not kept. */
const MAX_UNUSED = 4;

/**
 * An LRU cache of the DFAs of a workspace. The next shard, and the next search for the same expression, continue with their states.
 * The kernel keeps nothing of a table between two calls.
 */
export class DfaCache {
  /** By key of the expression, the last used at the end. */
  readonly #pairs = new Map<string, DfaPair>();
  readonly #workspace: Workspace;

  constructor(workspace: Workspace) {
    this.#workspace = workspace;
  }

  /** Addresses of the DFAs of an expression. DfaPair each call with `letGo`. Throws LimitError when there is no room. */
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
    this.keepOnly(MAX_UNUSED);
  }

  /** Frees the unused DFAs except for the `most` that were used last. */
  keepOnly(most: number): void {
    const resting = [...this.#pairs].filter(([, { users }]) => users === 0);
    for (const [key, pair] of resting.slice(0, Math.max(0, resting.length - most))) this.#drop(key, pair);
  }

  #drop(key: string, { forward, backward, anchored }: DfaPair): void {
    this.#pairs.delete(key);
    forward.release();
    backward.release();
    anchored?.release();
  }

  #make(regex: CompiledRegex): DfaPair {
    try {
      return this.#makeNow(regex);
    } catch (error) {
      if (!(error instanceof LimitError)) throw error;
      this.keepOnly(0);
      return this.#makeNow(regex);
    }
  }

  #makeNow({ forward, backward }: CompiledRegex): DfaPair {
    const first = new LazyDfa(this.#workspace, forward);
    try {
      const last = new LazyDfa(this.#workspace, backward, () => this.#anchor(pair, forward));
      const pair: DfaPair = { forward: first, backward: last, users: 0 };
      return pair;
    } catch (error) {
      first.release();
      throw error;
    }
  }

  /** A backward DFA of `\D{1,100}\S.*` has a state for every combination of spaces in the last hundred characters: it is always full. */
  #anchor(pair: DfaPair, forward: Program): void {
    if (pair.anchored) return;
    try {
      pair.anchored = new LazyDfa(this.#workspace, { ...forward, start: forward.anchored });
      pair.backward.tryBefore(pair.anchored);
    } catch (error) {
      // The search is slower without it.
      if (!(error instanceof LimitError)) throw error;
    }
  }
}
