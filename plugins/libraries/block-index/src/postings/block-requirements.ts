import type { ByteSet, Requirement } from '../regex/requirements.ts';

/** So many are asked for of each block. */
const MOST_NEEDS = 1024;
/** Keys that a choice may have. */
const MOST_CHOICES = 256;

/**
 * What every match of an expression contains, as keys: of adjacent bytes those of three that fold to one character each, with their pairs of words; where there are
 * none, for each three the choice of what they may be together.
 */
export type RequiredKeys =
  | (BlockNeeds & { readonly choices: readonly (readonly number[])[] })
  | { readonly all: readonly RequiredKeys[] }
  | { readonly any: readonly RequiredKeys[] }
  | undefined;

export function requiredKeys(need: Requirement): RequiredKeys {
  if (!need) return undefined;
  if ('run' in need) return keysOfRun(need.run);
  return 'all' in need ? { all: need.all.map(requiredKeys) } : { any: need.any.map(requiredKeys) };
}

function keysOfRun(run: readonly ByteSet[]): RequiredKeys {
  const places = run.map((place) => [...new Set([...place].map((byte) => FOLD[byte] ?? 0))]);
  const keys = new Set<number>();
  const choices: number[][] = [];
  for (let i = 0; i + 2 < places.length; i++) {
    const [first = [], second = [], third = []] = places.slice(i, i + 3);
    const count = first.length * second.length * third.length;
    if (count > MOST_CHOICES) continue;
    const together = first.flatMap((a) => second.flatMap((b) => third.map((c) => keyOf(a, b, c))));
    if (count > 1) choices.push(together);
    else for (const key of together) keys.add(key);
  }
  return { every: [...keys], pairs: pairsOf(run.map((place) => [...place])), choices: keys.size > 0 ? [] : choices };
}

/** What is needed in any case, whatever else there is; undefined where that is nothing. */
export function needsOf(keys: RequiredKeys): BlockNeeds | undefined {
  const parts = keys && 'all' in keys ? keys.all.map(needsOf) : [keys && 'every' in keys ? keys : undefined];
  const every = [...new Set(parts.flatMap((part) => part?.every ?? []))].slice(0, MOST_NEEDS);
  const pairs = [...new Set(parts.flatMap((part) => part?.pairs ?? []))].slice(0, MOST_PAIRS);
  return every.length > 0 ? { every, pairs } : undefined;
}

/** A–Z as a–z, tab and carriage return as space, bytes of 128 and more as their low five bits: 7 bits each. */
export const FOLD = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 65 && byte <= 90) return byte + 32;
  if (byte >= 128) return byte & 31;
  return byte === 9 || byte === 13 ? 32 : byte;
});

const folded = (byte: number | undefined): number => FOLD[byte ?? 0] ?? 0;

/** The key of three folded bytes. */
export function keyOf(first: number, second: number, third: number): number {
  return (first << 14) | (second << 7) | third;
}

/** Every one of these keys and pairs of words. */
export interface BlockNeeds {
  readonly every: readonly number[];
  readonly pairs: readonly number[];
}

/** What the index tells of blocks that have some bytes; for one or two bytes at least one key of [from, to). */
export type NeededKeys = BlockNeeds | { readonly from: number; readonly to: number };

export function keysOf(bytes: Uint8Array): NeededKeys {
  if (bytes.length < 3) return keysStartingWith(bytes);
  const every = new Set<number>();
  for (let i = 0; i + 2 < bytes.length; i++)
    every.add(keyOf(folded(bytes[i]), folded(bytes[i + 1]), folded(bytes[i + 2])));
  return { every: [...every], pairs: pairsOf([...bytes].map((byte) => [byte])) };
}

function keysStartingWith(bytes: Uint8Array): NeededKeys {
  if (bytes.length === 1) return { from: keyOf(folded(bytes[0]), 0, 0), to: keyOf(folded(bytes[0]) + 1, 0, 0) };
  const from = keyOf(folded(bytes[0]), folded(bytes[1]), 0);
  return { from, to: from + 128 };
}

/** The places of a pair: three bytes, a space, two bytes. */
const BEFORE = 3;
const BEHIND = 2;
const SPACE = 32;
const NUMBER_BITS = 13;
/** More are not asked for. */
export const MOST_PAIRS = 32;

const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;

/** The numbers of the pairs of words, as in assembly/pairs.ts, that stand wherever these places do, each of which holds one of some bytes. */
function pairsOf(places: readonly (readonly number[])[]): number[] {
  const pairs = new Set<number>();
  for (let space = BEFORE; space + BEHIND < places.length && pairs.size < MOST_PAIRS; space++) {
    const [before = [], here = [], behind = []] = places.slice(space - 1, space + 2);
    if (here[0] !== SPACE || here.length > 1 || !before.every(isLetter) || !behind.every(isLetter)) continue;
    const around = [...places.slice(space - BEFORE, space), ...places.slice(space + 1, space + 1 + BEHIND)];
    const key = around.map(lowBits).reduce((sum, bits) => sum * 32 + bits, 0);
    if (!Number.isNaN(key)) pairs.add(Math.imul(key, 0x9e3779b1) >>> (32 - NUMBER_BITS));
  }
  return [...pairs];
}

/** What is the same of a letter in both cases; not a number where that is not the same of all bytes. */
function lowBits([first = 0, ...others]: readonly number[]): number {
  return others.every((byte) => (byte & 31) === (first & 31)) ? first & 31 : Number.NaN;
}

/** A set of shapes (see assembly/shapes.ts), a bit each. */
export type Shapes = bigint;

/** Kinds of bytes of words, in the order of their numbers. */
const KINDS = [/[A-Z]/, /[a-z]/, /[0-9]/, /_/];
/** In how many of 100 blocks each shape is, counted over 1.2 GB of real repositories. */
const SHARES = [
  [86, 40, 13, 30, 51, 97, 6.3, 0.7, 7.7, 3.3, 12, 1.8, 29, 1.9, 1.9, 2.7],
  [43, 88, 7.5, 0.2, 89, 99, 48, 43, 8.6, 15, 39, 4.1, 8.4, 38, 1.9, 2.1],
  [6.3, 13, 4.9, 0.3, 4, 16, 13, 0.3, 12, 13, 54, 6.5, 2.5, 7.7, 2.1, 0.2],
  [29, 10, 1, 1.6, 0.2, 41, 2.7, 0.8, 0.2, 0.3, 2.9, 0.8, 2, 6.4, 0.1, 0.4],
].flat();
/** Shapes that more of 100 blocks have are not asked for. */
const COMMON = 50;
/** Most sets of shapes that are asked for, the rarest. */
const MOST_SETS = 4;

/** Sets of shapes, of each of which all blocks with a match have one. */
export function shapesOf(need: Requirement): Shapes[] {
  const rated = [...new Set(setsOf(need))].map((set) => ({ set, share: shareOf(set) }));
  const rare = rated.filter(({ share }) => share < COMMON).sort((a, b) => a.share - b.share);
  return rare.slice(0, MOST_SETS).map(({ set }) => set);
}

function setsOf(need: Requirement): Shapes[] {
  if (!need || 'any' in need) return [];
  return 'all' in need ? need.all.flatMap(setsOf) : setsOfRun(need.run);
}

function setsOfRun(run: readonly ByteSet[]): Shapes[] {
  const kinds = run.map(kindsOf);
  const sets: Shapes[] = [];
  for (let i = 0; i + 2 < kinds.length; i++) {
    const [first, second, third] = kinds.slice(i, i + 3);
    if (first && second && third) sets.push(together(first, second, third));
  }
  return sets;
}

function together(first: readonly number[], second: readonly number[], third: readonly number[]): Shapes {
  let set = 0n;
  for (const a of first) for (const b of second) for (const c of third) set |= 1n << BigInt(a * 16 + b * 4 + c);
  return set;
}

/** Undefined where one of the bytes belongs to no word. */
function kindsOf(place: ByteSet): number[] | undefined {
  const kinds = new Set<number>();
  for (const byte of place) kinds.add(KINDS.findIndex((kind) => kind.test(String.fromCharCode(byte))));
  return kinds.has(-1) ? undefined : [...kinds];
}

const shareOf = (set: Shapes): number =>
  SHARES.reduce((sum, share, shape) => ((set >> BigInt(shape)) & 1n ? sum + share : sum), 0);
