import type { Arena } from './kernel/arena.ts';
import { loadKernel } from './kernel/kernel.ts';
import type { Kernel } from './kernel/kernel.ts';
import { Needle } from './kernel/needle.ts';
import type { Text } from './match/compiled-term.ts';
import { StepMemory } from './match/matches.ts';
import type { BlockNeeds } from './postings/block-requirements.ts';
import { Automata } from './regex/lazy-dfa.ts';

/** Most blocks whose text is looked at in one call of the kernel. */
const BATCH = 4096;
/** Most blocks of one window. */
export const WINDOW = 65_536;
/** Most records of one call. */
export const CAPACITY = 131_072;
const RECORD_BYTES = 24;
const SMALL_LINE = 65_536;
/** Enough for what a text of 1,024 bytes needs: three numbers for each key, and the pairs. */
const NEEDS_BYTES = 16_384;

/** An automaton whose table the kernel reads; see assembly/automaton.ts. */
export interface LazyAutomaton {
  /** Fills in one entry and returns it. */
  fill(row: number, column: number): number;
}

/**
 * What one thread needs to search: an instance of the kernel and scratch memory in an arena of its own (about 5 MB, and 2 MB for
 * each regular expression in use).
 */
export class Workspace {
  readonly arena: Arena;
  readonly kernel: Kernel;
  /** What to add to a content offset of each block of a batch. */
  readonly bases: number;
  readonly records: number;
  /** Room for the ids of one posting run. */
  readonly run: number;
  /** One bit per block of a window. */
  readonly bitmap: number;
  /** Called while a search runs; throws to stop it. */
  checkpoint: () => void = () => undefined;
  /** Those of expressions that were searched. */
  readonly automata = new Automata(this);
  readonly step = new StepMemory();
  readonly #tables = new Map<number, LazyAutomaton>();
  readonly #needsAt: number;
  #needs: BlockNeeds | undefined;
  readonly #needle: Needle;
  #text: Text | undefined;
  #line: { at: number; bytes: number };
  #misses = 0;

  constructor(arena: Arena) {
    this.arena = arena;
    this.bases = arena.allocate(BATCH * 4);
    this.records = arena.allocate(CAPACITY * RECORD_BYTES);
    this.run = arena.allocate(1024);
    this.bitmap = arena.allocate(WINDOW / 8);
    this.#needsAt = arena.allocate(NEEDS_BYTES);
    this.#needle = new Needle(arena);
    this.#line = { at: arena.allocate(SMALL_LINE), bytes: SMALL_LINE };
    this.kernel = loadKernel(arena.memory, {
      miss: (automaton, row, column) => this.#fill(automaton >>> 0, row, column),
      checkpoint: () => this.checkpoint(),
      room: (bytes) => this.room(bytes >>> 0),
    });
  }

  /** Address of what blocks need, as the kernel reads it: for many shards one after the other it is written once. */
  written(needs: BlockNeeds): number {
    if (this.#needs === needs) return this.#needsAt;
    const { every, pairs } = needs;
    const words = [every.length, pairs.length, ...every, ...pairs];
    this.arena.words(this.#needsAt, words.length).set(words);
    this.#needs = needs;
    return this.#needsAt;
  }

  /** A needle for a text, good until one for another is asked for: like `written` for many shards. */
  needleOf(text: Text): Needle {
    if (this.#text !== text) this.#needle.write(text.bytes, text.foldCase);
    this.#text = text;
    return this.#needle;
  }

  use(address: number, automaton: LazyAutomaton): void {
    this.#tables.set(address, automaton);
  }

  drop(address: number): void {
    this.#tables.delete(address);
  }

  #fill(address: number, row: number, column: number): number {
    if ((++this.#misses & 0xff) === 0) this.checkpoint();
    const automaton = this.#tables.get(address);
    if (!automaton) throw new Error('the kernel runs an automaton that nobody registered');
    return automaton.fill(row, column);
  }

  /** Address of so many bytes, valid until the next call. */
  room(bytes: number): number {
    if (bytes > this.#line.bytes) {
      const at = this.arena.allocate(bytes);
      this.arena.release(this.#line.at);
      this.#line = { at, bytes };
    }
    return this.#line.at;
  }
}
