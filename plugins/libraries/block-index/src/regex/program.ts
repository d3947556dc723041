import { LimitError } from '../format/errors.ts';
import { INVALID } from './ast.ts';
import type { Border, CodePoints, Node } from './ast.ts';
import { byteMachine } from './byte-machine.ts';
import type { ByteMachine } from './byte-machine.ts';

/** Most instructions of a program. */
export const MOST_STATES = 10_000;

export type Instruction =
  | { readonly op: 'match' }
  | { readonly op: 'character'; readonly machine: ByteMachine; readonly next: number }
  /** Goes on at both; `first` is preferred. */
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'border'; readonly at: Border; readonly next: number };

/** A regular expression as a nondeterministic automaton over characters. */
export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** The same for matches that start where it begins to read. */
  readonly anchored: number;
  /** Whether it reads from the end of a match to its start. */
  readonly isBackward: boolean;
  readonly hasWordBorders: boolean;
}

const ANY = [0, INVALID];
const TURNED: Readonly<Record<Border, Border>> = {
  lineStart: 'lineEnd',
  lineEnd: 'lineStart',
  word: 'word',
  notWord: 'notWord',
};

/**
 * Compiles an expression. Forwards it finds the end of the leftmost match from where it starts to read, preferring as Perl does;
 * backwards it finds where a match that ends there can start. Throws LimitError beyond MOST_STATES.
 */
export function compile(node: Node, isBackward: boolean): Program {
  const compiler = new Compiler(isBackward);
  const match = compiler.emit({ op: 'match' });
  const start = compiler.node(node, match);
  return {
    instructions: compiler.instructions,
    start: isBackward ? start : compiler.anywhere(start),
    anchored: start,
    isBackward,
    hasWordBorders: compiler.hasWordBorders,
  };
}

class Compiler {
  readonly instructions: Instruction[] = [];
  hasWordBorders = false;
  readonly #isBackward: boolean;
  /** A repetition emits the same set up to a thousand times, and to look it up by its members takes as long as it has members. */
  readonly #machines = new Map<CodePoints, ByteMachine>();

  constructor(isBackward: boolean) {
    this.#isBackward = isBackward;
  }

  emit(instruction: Instruction): number {
    if (this.instructions.length >= MOST_STATES) {
      throw new LimitError(
        `the regular expression needs more than ${MOST_STATES} states; use smaller repetition counts`,
      );
    }
    return this.instructions.push(instruction) - 1;
  }

  /** Emits what a node does before it goes on at `next`; returns where it begins. */
  node(node: Node, next: number): number {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'set':
        return this.emit({ op: 'character', machine: this.#machine(node.set), next });
      case 'border':
        return this.#border(node.at, next);
      case 'concat':
        return this.#concat(node.parts, next);
      case 'alternate':
        return this.#alternate(node.parts, next);
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  /** Tries the program here before it skips a character. */
  anywhere(start: number): number {
    const loop = { op: 'split' as const, first: start, second: 0 };
    const entry = this.emit(loop);
    loop.second = this.emit({ op: 'character', machine: this.#machine(ANY), next: entry });
    return entry;
  }

  #machine(set: CodePoints): ByteMachine {
    const machine = this.#machines.get(set) ?? byteMachine(set, this.#isBackward);
    this.#machines.set(set, machine);
    return machine;
  }

  #border(at: Border, next: number): number {
    if (at === 'word' || at === 'notWord') this.hasWordBorders = true;
    return this.emit({ op: 'border', at: this.#isBackward ? TURNED[at] : at, next });
  }

  #concat(parts: readonly Node[], next: number): number {
    const order = this.#isBackward ? parts : parts.toReversed();
    return order.reduce((at, part) => this.node(part, at), next);
  }

  #alternate(parts: readonly Node[], next: number): number {
    const starts = parts.map((part) => this.node(part, next));
    return starts.reduceRight((second, first) => this.emit({ op: 'split', first, second }));
  }

  #repeat({ body, min, max, isGreedy }: Extract<Node, { kind: 'repeat' }>, next: number): number {
    let at = next;
    if (max === Infinity) at = this.#loop(body, next, { isGreedy, isOnce: min > 0 });
    else for (let i = min; i < max; i++) at = this.#choose(this.node(body, at), next, isGreedy);
    for (let i = max === Infinity ? 1 : 0; i < min; i++) at = this.node(body, at);
    return at;
  }

  #choose(body: number, next: number, isGreedy: boolean): number {
    return this.emit(
      isGreedy ? { op: 'split', first: body, second: next } : { op: 'split', first: next, second: body },
    );
  }

  /** x* enters at the choice, x+ at the body. */
  #loop(body: Node, next: number, { isGreedy, isOnce }: { isGreedy: boolean; isOnce: boolean }): number {
    const choice = { op: 'split' as const, first: next, second: next };
    const at = this.emit(choice);
    const inside = this.node(body, at);
    if (isGreedy) choice.first = inside;
    else choice.second = inside;
    return isOnce ? inside : at;
  }
}
