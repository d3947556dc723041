import { LRUCache } from 'lru-cache';
import { LimitError } from '../errors.ts';
import { INVALID, ranges } from './character-sets.ts';
import type { CodePoints } from './character-sets.ts';
import type { Assertion, Node } from './parse.ts';

/** Maximum number of instructions of a program. */
const MAX_INSTRUCTIONS = 10_000;

export type Instruction =
  | { readonly op: 'match' }
  | { readonly op: 'character'; readonly dfa: Utf8Dfa; readonly next: number }
  /** Continues at both instructions; matches through `first` are preferred. */
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'assertion'; readonly at: Assertion; readonly next: number };

/** A Thompson NFA: instructions over characters, as in RE2. */
export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** Where a program starts that matches only at the position where it begins to read. */
  readonly anchored: number;
  /** Whether the program reads from the end of a match to its start. */
  readonly isBackward: boolean;
  readonly hasWordBorders: boolean;
}

const ANY = [0, INVALID];
const MIRRORED: Readonly<Record<Assertion, Assertion>> = {
  lineStart: 'lineEnd',
  lineEnd: 'lineStart',
  word: 'word',
  notWord: 'notWord',
};

/**
 * Compiles an expression. A forward program finds the end of the leftmost match, with Perl's preferences between alternatives.
 * A backward program finds where a match that ends at a position can start. Throws LimitError beyond MAX_INSTRUCTIONS.
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
  /** By identity: a repetition emits the same set up to a thousand times, and a lookup by members takes as long as the set is large. */
  readonly #dfas = new Map<CodePoints, Utf8Dfa>();

  constructor(isBackward: boolean) {
    this.#isBackward = isBackward;
  }

  emit(instruction: Instruction): number {
    if (this.instructions.length >= MAX_INSTRUCTIONS) {
      throw new LimitError(
        `the regular expression needs more than ${MAX_INSTRUCTIONS} states; use smaller repetition counts`,
      );
    }
    return this.instructions.push(instruction) - 1;
  }

  /** Emits a node that continues at `next`. Returns its first instruction. */
  node(node: Node, next: number): number {
    switch (node.kind) {
      case 'empty':
        return next;
      case 'set':
        return this.emit({ op: 'character', dfa: this.#dfa(node.set), next });
      case 'assertion':
        return this.#assertion(node.at, next);
      case 'concat':
        return this.#concat(node.parts, next);
      case 'alternate':
        return this.#alternate(node.parts, next);
      case 'repeat':
        return this.#repeat(node, next);
    }
  }

  /** Emits a loop that tries the program at each position, the first position preferred. */
  anywhere(start: number): number {
    const loop = { op: 'split' as const, first: start, second: 0 };
    const entry = this.emit(loop);
    loop.second = this.emit({ op: 'character', dfa: this.#dfa(ANY), next: entry });
    return entry;
  }

  #dfa(set: CodePoints): Utf8Dfa {
    const dfa = this.#dfas.get(set) ?? utf8Dfa(set, this.#isBackward);
    this.#dfas.set(set, dfa);
    return dfa;
  }

  #assertion(at: Assertion, next: number): number {
    if (at === 'word' || at === 'notWord') this.hasWordBorders = true;
    return this.emit({ op: 'assertion', at: this.#isBackward ? MIRRORED[at] : at, next });
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

  /** Emits x* (entered at the split) or x+ (entered at the body). */
  #loop(body: Node, next: number, { isGreedy, isOnce }: { isGreedy: boolean; isOnce: boolean }): number {
    const choice = { op: 'split' as const, first: next, second: next };
    const at = this.emit(choice);
    const inside = this.node(body, at);
    if (isGreedy) choice.first = inside;
    else choice.second = inside;
    return isOnce ? inside : at;
  }
}

/** A transition: the character does not match. */
export const FAIL = 0xffff;
/** A transition: the character is complete. */
export const DONE = 0xfffe;
/** What the kernel writes for a byte outside well-formed characters. */
const INVALID_BYTE = 0xff;

type ByteRange = readonly [number, number];

/** A DFA that reads the UTF-8 bytes of one character of a set. It starts in state 0. */
export interface Utf8Dfa {
  readonly states: number;
  /** Next state, FAIL or DONE, at state * 256 + byte. */
  readonly next: Uint16Array;
  /** Class of each byte: all states treat the bytes of a class the same. */
  readonly classes: Uint16Array;
}

/** An LRU cache, because large classes take milliseconds to build. It is small, because anyone may send patterns. */
const cached = new LRUCache<string, Utf8Dfa>({ max: 64 });

/** The DFA of a set, for reading forward or backward. */
function utf8Dfa(set: CodePoints, isBackward: boolean): Utf8Dfa {
  const key = `${isBackward} ${set.join()}`;
  const known = cached.get(key);
  if (known) return known;
  const dfa = build(set, isBackward);
  cached.set(key, dfa);
  return dfa;
}

function build(set: CodePoints, isBackward: boolean): Utf8Dfa {
  const sequences = ranges(set).flatMap(([from, to]) => byteRanges(from, to));
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

/** The transitions of a state, which is the rest of the sequences that match so far. */
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

/** The UTF-8 bytes of a code point. */
export function encode(c: number): number[] {
  if (c < 0x80) return [c];
  if (c < 0x800) return [0xc0 | (c >> 6), 0x80 | (c & 63)];
  if (c < 0x1_0000) return [0xe0 | (c >> 12), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63)];
  return [0xf0 | (c >> 18), 0x80 | ((c >> 12) & 63), 0x80 | ((c >> 6) & 63), 0x80 | (c & 63)];
}

const WORD = /[0-9A-Za-z_]/;

/** Whether a byte is an ASCII word character. */
export function isWordByte(byte: number): boolean {
  return byte < 128 && WORD.test(String.fromCharCode(byte));
}

/** The two classes of word bytes and others. */
const WORDS = Uint16Array.from({ length: 256 }, (_, byte) => (isWordByte(byte) ? 1 : 0));

export interface ByteClasses {
  /** Class of each byte. */
  readonly of: Uint16Array;
  /** One byte of each class. */
  readonly samples: readonly number[];
}

/** Groups the bytes that all instructions of a program treat the same. The classes are the columns of its DFA. */
export function byteClasses({ instructions, hasWordBorders }: Program): ByteClasses {
  let of = hasWordBorders ? WORDS : new Uint16Array(256);
  const dfas = new Set(
    instructions.flatMap((instruction) => (instruction.op === 'character' ? [instruction.dfa] : [])),
  );
  for (const { classes } of dfas) of = refine(of, classes);
  const samples: number[] = [];
  of.forEach((group, byte) => {
    samples[group] ??= byte;
  });
  return { of, samples };
}

/** Splits classes until all bytes of a class have the same value in a row, too. Numbers them by their first bytes. */
function refine(of: Uint16Array, row: Uint16Array): Uint16Array<ArrayBuffer> {
  const groups = new Map<number, number>();
  return Uint16Array.from(of, (group, byte) => {
    const key = group * 0x1_0000 + (row[byte] ?? 0);
    const known = groups.get(key) ?? groups.size;
    groups.set(key, known);
    return known;
  });
}
