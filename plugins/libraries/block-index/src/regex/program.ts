import { LimitError } from '../errors.ts';
import { INVALID, pairs } from './character-sets.ts';
import type { CodePoints } from './character-sets.ts';
import type { Border, Node } from './parse.ts';

/** Most instructions of a program. */
const MOST_STATES = 10_000;

export type Instruction =
  | { readonly op: 'match' }
  | { readonly op: 'character'; readonly machine: Utf8Dfa; readonly next: number }
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
  readonly #machines = new Map<CodePoints, Utf8Dfa>();

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

  #machine(set: CodePoints): Utf8Dfa {
    const machine = this.#machines.get(set) ?? utf8Dfa(set, this.#isBackward);
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

/** No byte of a machine leads on. */
export const FAIL = 0xffff;
/** The character is complete. */
export const DONE = 0xfffe;
/** What the kernel writes for a byte of no character. */
const INVALID_BYTE = 0xff;

type ByteRange = readonly [number, number];

/** A deterministic automaton that reads the bytes of one character of a set; state 0 is the first. */
export interface Utf8Dfa {
  readonly states: number;
  /** Next state, FAIL or DONE, at state * 256 + byte. */
  readonly next: Uint16Array;
  /** Class of each byte: no state tells bytes of one class apart. */
  readonly classes: Uint16Array;
}

/** Large classes take milliseconds to build; patterns come from anyone, so few are kept. */
const machines = new Map<string, Utf8Dfa>();
const MOST_MACHINES = 64;

/** The machine of a set, for reading forwards or backwards. */
function utf8Dfa(set: CodePoints, isBackward: boolean): Utf8Dfa {
  const key = `${isBackward} ${set.join()}`;
  const known = machines.get(key);
  if (known) return known;
  const machine = build(set, isBackward);
  machines.set(key, machine);
  const [oldest] = machines.keys();
  if (machines.size > MOST_MACHINES && oldest !== undefined) machines.delete(oldest);
  return machine;
}

function build(set: CodePoints, isBackward: boolean): Utf8Dfa {
  const sequences = pairs(set).flatMap(([from, to]) => byteRanges(from, to));
  const rows: Uint16Array[] = [];
  const stateOf = new Map<string, number>();
  const pending: ByteRange[][][] = [];
  const enter = (rest: ByteRange[][]): number => {
    const key = rest.join(';');
    const known = stateOf.get(key);
    if (known !== undefined) return known;
    stateOf.set(key, pending.length);
    return pending.push(rest) - 1;
  };
  enter(isBackward ? sequences.map((sequence) => sequence.toReversed()) : sequences);
  for (let state = 0; state < pending.length; state++) rows.push(row(pending[state] ?? [], enter));
  const next = new Uint16Array(rows.length * 256);
  rows.forEach((values, state) => next.set(values, state * 256));
  return { states: rows.length, next, classes: rows.reduce(refine, new Uint16Array(256)) };
}

/** The transitions of a state, which is what remains of the sequences that fit so far. */
function row(sequences: ByteRange[][], enter: (rest: ByteRange[][]) => number): Uint16Array {
  const borders = new Set([0, 256, ...sequences.flatMap(([first]) => (first ? [first[0], first[1] + 1] : []))]);
  const values = new Uint16Array(256).fill(FAIL);
  const ascending = [...borders].sort((a, b) => a - b);
  ascending.slice(0, -1).forEach((from, i) => {
    const fitting = sequences.filter(([first]) => first && first[0] <= from && from <= first[1]);
    if (fitting.length === 0) return;
    const isDone = fitting.some((sequence) => sequence.length === 1);
    values.fill(isDone ? DONE : enter(fitting.map((sequence) => sequence.slice(1))), from, ascending[i + 1]);
  });
  return values;
}

/** The UTF-8 of the code points [from, to] as sequences of byte ranges. */
function byteRanges(from: number, to: number): ByteRange[][] {
  if (from > to) return [];
  if (to === INVALID) return [...byteRanges(from, INVALID - 1), [[INVALID_BYTE, INVALID_BYTE]]];
  if (from < 0xe000 && to > 0xd7ff)
    return [...byteRanges(from, Math.min(to, 0xd7ff)), ...byteRanges(Math.max(from, 0xe000), to)];
  for (const last of [0x7f, 0x7ff, 0xffff])
    if (from <= last && last < to) return [...byteRanges(from, last), ...byteRanges(last + 1, to)];
  for (const bits of to < 128 ? [] : [6, 12, 18]) {
    const mask = (1 << bits) - 1;
    if ((from & ~mask) === (to & ~mask)) break;
    if ((from & mask) !== 0) return [...byteRanges(from, from | mask), ...byteRanges((from | mask) + 1, to)];
    if ((to & mask) !== mask) return [...byteRanges(from, (to & ~mask) - 1), ...byteRanges(to & ~mask, to)];
  }
  const low = encode(from);
  const high = encode(to);
  return [low.map((byte, i): ByteRange => [byte, high[i] ?? byte])];
}

/** The UTF-8 of a code point. */
export function encode(c: number): number[] {
  if (c < 0x80) return [c];
  if (c < 0x800) return [0xc0 | (c >> 6), 0x80 | (c & 63)];
  if (c < 0x1_0000) return [0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63)];
  return [0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63)];
}

const WORD = /[0-9A-Za-z_]/;

/** Whether a byte is part of an ASCII word. */
export function isWordByte(byte: number): boolean {
  return byte < 128 && WORD.test(String.fromCharCode(byte));
}

/** Word bytes and others, numbered in the order of their first bytes. */
const WORDS = Uint16Array.from({ length: 256 }, (_, byte) => (isWordByte(byte) ? 1 : 0));

export interface ByteClasses {
  /** Class of each byte. */
  readonly of: Uint16Array;
  /** One byte of each class. */
  readonly samples: readonly number[];
}

/** Bytes that no instruction of the program tells apart are one class: the columns of its automaton. */
export function byteClasses({ instructions, hasWordBorders }: Program): ByteClasses {
  let of = hasWordBorders ? WORDS : new Uint16Array(256);
  const machines = new Set(
    instructions.flatMap((instruction) => (instruction.op === 'character' ? [instruction.machine] : [])),
  );
  for (const { classes } of machines) of = intersect(of, classes);
  const samples: number[] = [];
  of.forEach((group, byte) => {
    samples[group] ??= byte;
  });
  return { of, samples };
}

const groupOf = new Uint16Array(0x1_0000);
const writtenAt = new Uint32Array(0x1_0000);
let writes = 0;

/** The same for rows of less than 256 values, without a map: this happens for each character of each pattern. */
function intersect(of: Uint16Array, row: Uint16Array): Uint16Array<ArrayBuffer> {
  const refined = new Uint16Array(256);
  writes++;
  for (let byte = 0, groups = 0; byte < 256; byte++) {
    const key = (of[byte] ?? 0) * 256 + (row[byte] ?? 0);
    if (writtenAt[key] !== writes) {
      writtenAt[key] = writes;
      groupOf[key] = groups++;
    }
    refined[byte] = groupOf[key] ?? 0;
  }
  return refined;
}

/** Splits classes so that all bytes of one have the same value in a row, too; numbers them in the order of their first bytes. */
function refine(of: Uint16Array, row: Uint16Array): Uint16Array<ArrayBuffer> {
  const groups = new Map<number, number>();
  return Uint16Array.from(of, (group, byte) => {
    const key = group * 0x1_0000 + (row[byte] ?? 0);
    const known = groups.get(key) ?? groups.size;
    groups.set(key, known);
    return known;
  });
}
