import { LimitError } from '../format/errors.ts';
import type { Workspace } from '../kernel/workspace.ts';
import { Automaton } from './automaton.ts';
import type { CompiledRegex } from './compiled.ts';
import type { Program } from './program.ts';

interface Pair {
  readonly forward: Automaton;
  readonly backward: Automaton;
  /** For matches that start where it begins to read: made where there are too many states backwards. */
  anchored?: Automaton;
  users: number;
}

/** Pairs that nobody uses and that are kept: about a megabyte each; large ones are not. */
const MOST_RESTING = 4;

/**
 * The automata of a workspace, which every search for an expression shares: the next shard, and the next search, go on with the states
 * that are known. The kernel keeps nothing of a table between two calls.
 */
export class Automata {
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
    const first = new Automaton(this.#workspace, forward);
    try {
      const last = new Automaton(this.#workspace, backward, () => this.#anchor(pair, forward));
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
      pair.anchored = new Automaton(this.#workspace, { ...forward, start: forward.anchored });
      pair.backward.tryBefore(pair.anchored);
    } catch (error) {
      // Without it the search takes longer.
      if (!(error instanceof LimitError)) throw error;
    }
  }
}
