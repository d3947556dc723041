import type { Arena } from './kernel/arena.ts';
import { loadKernel } from './kernel/kernel.ts';
import type { Kernel } from './kernel/kernel.ts';
import { DfaCache } from './regex/lazy-dfa.ts';

/** Maximum number of blocks that one call of the kernel scans. */
const BATCH = 4096;
/** Maximum number of blocks of a window. */
export const WINDOW = 65_536;
/** Maximum number of records that one call of the kernel writes. */
export const CAPACITY = 131_072;
const RECORD_BYTES = 24;
const SMALL_LINE = 65_536;

/** A DFA whose table the kernel reads, see assembly/regex.ts. */
export interface DfaTable {
  /** Fills in an entry of the table and returns it. */
  fill(row: number, column: number): number;
}

/**
 * What one thread needs to search: an instance of the kernel, and scratch memory in an arena of its own, with room for each
 * regular expression in use.
 */
export class Workspace {
  readonly arena: Arena;
  readonly kernel: Kernel;
  /** Address of the bases of a batch: what to add to a content offset of each block to get its address. */
  readonly bases: number;
  /** Address of the records that the kernel writes. */
  readonly records: number;
  /** Address of scratch memory for the ids of one run of a posting list. */
  readonly run: number;
  /** Address of a bitmap with a bit per block of a window. */
  readonly bitmap: number;
  /** Called while a search runs. Throws to stop it. */
  checkpoint: () => void = () => undefined;
  /** The DFAs of expressions that were searched. */
  readonly dfas = new DfaCache(this);
  readonly #tables = new Map<number, DfaTable>();
  #line: { at: number; bytes: number };
  #misses = 0;

  constructor(arena: Arena) {
    this.arena = arena;
    this.bases = arena.allocate(BATCH * 4);
    this.records = arena.allocate(CAPACITY * RECORD_BYTES);
    this.run = arena.allocate(1024);
    this.bitmap = arena.allocate(WINDOW / 8);
    this.#line = { at: arena.allocate(SMALL_LINE), bytes: SMALL_LINE };
    this.kernel = loadKernel(arena.memory, {
      miss: (dfa, row, column) => this.#fill(dfa >>> 0, row, column),
      checkpoint: () => this.checkpoint(),
      room: (bytes) => this.room(bytes >>> 0),
    });
  }

  /** Registers the DFA at an address, which the kernel may then run. */
  use(address: number, dfa: DfaTable): void {
    this.#tables.set(address, dfa);
  }

  drop(address: number): void {
    this.#tables.delete(address);
  }

  #fill(address: number, row: number, column: number): number {
    if ((++this.#misses & 0xff) === 0) this.checkpoint();
    const dfa = this.#tables.get(address);
    if (!dfa) throw new Error('the kernel runs a DFA that is not registered');
    return dfa.fill(row, column);
  }

  /** Address of `bytes` bytes of scratch memory, valid until the next call. */
  room(bytes: number): number {
    if (bytes > this.#line.bytes) {
      const at = this.arena.allocate(bytes);
      this.arena.release(this.#line.at);
      this.#line = { at, bytes };
    }
    return this.#line.at;
  }
}
