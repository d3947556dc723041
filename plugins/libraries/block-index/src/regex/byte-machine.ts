import { INVALID } from './ast.ts';
import type { CodePoints } from './ast.ts';
import { refine } from './byte-classes.ts';
import { pairs } from './code-points.ts';

/** No byte of a machine leads on. */
export const FAIL = 0xffff;
/** The character is complete. */
export const DONE = 0xfffe;
/** What the kernel writes for a byte of no character. */
const INVALID_BYTE = 0xff;

type ByteRange = readonly [number, number];

/** A deterministic automaton that reads the bytes of one character of a set; state 0 is the first. */
export interface ByteMachine {
  readonly states: number;
  /** Next state, FAIL or DONE, at state * 256 + byte. */
  readonly next: Uint16Array;
  /** Class of each byte: no state tells bytes of one class apart. */
  readonly classes: Uint16Array;
}

/** Large classes take milliseconds to build; patterns come from anyone, so few are kept. */
const machines = new Map<string, ByteMachine>();
const MOST_MACHINES = 64;

/** The machine of a set, for reading forwards or backwards. */
export function byteMachine(set: CodePoints, isBackward: boolean): ByteMachine {
  const key = `${isBackward} ${set.join()}`;
  const known = machines.get(key);
  if (known) return known;
  const machine = build(set, isBackward);
  machines.set(key, machine);
  const [oldest] = machines.keys();
  if (machines.size > MOST_MACHINES && oldest !== undefined) machines.delete(oldest);
  return machine;
}

function build(set: CodePoints, isBackward: boolean): ByteMachine {
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
