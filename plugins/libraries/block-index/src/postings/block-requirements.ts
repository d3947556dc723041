import { FOLD, trigramOf } from '../format/format.ts';
import type { ByteSet, Requirement } from '../regex/requirements.ts';

// What a block must have if it may contain a text or a match of an expression: trigrams, bigrams of words, character-class trigrams.

/** All of these trigrams and bigrams. */
export interface BlockRequirement {
  readonly trigrams: readonly number[];
  readonly bigrams: readonly number[];
}

/** What a text requires. A text of one or two bytes requires any trigram in [from, to). */
export type TextTrigrams = BlockRequirement | { readonly from: number; readonly to: number };

/** The requirements of a text. */
export function trigramsOf(bytes: Uint8Array): TextTrigrams {
  if (bytes.length < 3) return trigramsStartingWith(bytes);
  const trigrams = new Set<number>();
  for (let i = 0; i + 2 < bytes.length; i++)
    trigrams.add(trigramOf(folded(bytes[i]), folded(bytes[i + 1]), folded(bytes[i + 2])));
  return { trigrams: [...trigrams], bigrams: bigramsOf([...bytes].map((byte) => [byte])) };
}

/** Every segment ends with two zero bytes, so one or two bytes at its end start a trigram, too. */
function trigramsStartingWith(bytes: Uint8Array): TextTrigrams {
  if (bytes.length === 1) return { from: trigramOf(folded(bytes[0]), 0, 0), to: trigramOf(folded(bytes[0]) + 1, 0, 0) };
  const from = trigramOf(folded(bytes[0]), folded(bytes[1]), 0);
  return { from, to: from + 128 };
}

const folded = (byte: number | undefined): number => FOLD[byte ?? 0] ?? 0;

/**
 * What an expression requires. Of adjacent byte sets, `trigrams` has every three that fold to one character each.
 * If there are none, each member of `choices` has the trigrams of three adjacent sets, of which a match has one.
 */
export type RequiredTrigrams =
  | (BlockRequirement & { readonly choices: readonly (readonly number[])[] })
  | { readonly all: readonly RequiredTrigrams[] }
  | { readonly any: readonly RequiredTrigrams[] }
  | undefined;

/** Maximum number of trigrams of a choice. */
const MAX_CHOICES = 256;

/** The trigrams and bigrams that every match of an expression has. */
export function requiredTrigrams(need: Requirement): RequiredTrigrams {
  if (!need) return undefined;
  if ('run' in need) return trigramsOfRun(need.run);
  return 'all' in need ? { all: need.all.map(requiredTrigrams) } : { any: need.any.map(requiredTrigrams) };
}

function trigramsOfRun(run: readonly ByteSet[]): RequiredTrigrams {
  const places = run.map((place) => [...new Set([...place].map((byte) => FOLD[byte] ?? 0))]);
  const trigrams = new Set<number>();
  const choices: number[][] = [];
  for (let i = 0; i + 2 < places.length; i++) {
    const [first = [], second = [], third = []] = places.slice(i, i + 3);
    const count = first.length * second.length * third.length;
    if (count > MAX_CHOICES) continue;
    const choice = first.flatMap((a) => second.flatMap((b) => third.map((c) => trigramOf(a, b, c))));
    if (count > 1) choices.push(choice);
    else for (const trigram of choice) trigrams.add(trigram);
  }
  const bigrams = bigramsOf(run.map((place) => [...place]));
  return { trigrams: [...trigrams], bigrams, choices: trigrams.size > 0 ? [] : choices };
}

/** A bigram of words: three bytes, a space, two bytes. */
const BEFORE = 3;
const BEHIND = 2;
const SPACE = 32;
const HASH_BITS = 13;
/** Maximum number of bigrams that are looked up for a block. */
export const MAX_BIGRAMS = 32;

const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;

/** The hashes of the bigrams in a sequence of byte sets, the same as in assembly/block-filters.ts. */
function bigramsOf(places: readonly (readonly number[])[]): number[] {
  const bigrams = new Set<number>();
  for (let space = BEFORE; space + BEHIND < places.length && bigrams.size < MAX_BIGRAMS; space++) {
    const [before = [], here = [], behind = []] = places.slice(space - 1, space + 2);
    if (here[0] !== SPACE || here.length > 1 || !before.every(isLetter) || !behind.every(isLetter)) continue;
    const around = [...places.slice(space - BEFORE, space), ...places.slice(space + 1, space + 1 + BEHIND)];
    const bits = around.map(lowBits).reduce((sum, each) => sum * 32 + each, 0);
    if (!Number.isNaN(bits)) bigrams.add(Math.imul(bits, 0x9e3779b1) >>> (32 - HASH_BITS));
  }
  return [...bigrams];
}

/** The low five bits, which are the same for a letter in both cases. NaN if they differ between the bytes. */
function lowBits([first = 0, ...others]: readonly number[]): number {
  return others.every((byte) => (byte & 31) === (first & 31)) ? first & 31 : Number.NaN;
}

/** A set of character-class trigrams (see assembly/block-filters.ts), a bit each. */
export type ClassTrigrams = bigint;

/** The classes of word bytes, in the order of their numbers. */
const CLASSES = [/[A-Z]/, /[a-z]/, /[0-9]/, /_/];
/** Percentage of blocks with each character-class trigram. Counted over public repositories. */
const SHARES = [
  [86, 40, 13, 30, 51, 97, 6.3, 0.7, 7.7, 3.3, 12, 1.8, 29, 1.9, 1.9, 2.7],
  [43, 88, 7.5, 0.2, 89, 99, 48, 43, 8.6, 15, 39, 4.1, 8.4, 38, 1.9, 2.1],
  [6.3, 13, 4.9, 0.3, 4, 16, 13, 0.3, 12, 13, 54, 6.5, 2.5, 7.7, 2.1, 0.2],
  [29, 10, 1, 1.6, 0.2, 41, 2.7, 0.8, 0.2, 0.3, 2.9, 0.8, 2, 6.4, 0.1, 0.4],
].flat();
/** Sets that a larger percentage of blocks has a member of are not used. */
const COMMON = 50;
/** Maximum number of sets that are used, the rarest. */
const MAX_SETS = 4;

/** Sets of character-class trigrams. A block with a match has a member of each. */
export function classTrigramsOf(need: Requirement): ClassTrigrams[] {
  const rated = [...new Set(setsOf(need))].map((set) => ({ set, share: shareOf(set) }));
  const rare = rated.filter(({ share }) => share < COMMON).sort((a, b) => a.share - b.share);
  return rare.slice(0, MAX_SETS).map(({ set }) => set);
}

function setsOf(need: Requirement): ClassTrigrams[] {
  if (!need || 'any' in need) return [];
  return 'all' in need ? need.all.flatMap(setsOf) : setsOfRun(need.run);
}

function setsOfRun(run: readonly ByteSet[]): ClassTrigrams[] {
  const classes = run.map(classesOf);
  const sets: ClassTrigrams[] = [];
  for (let i = 0; i + 2 < classes.length; i++) {
    const [first, second, third] = classes.slice(i, i + 3);
    if (first && second && third) sets.push(combinations(first, second, third));
  }
  return sets;
}

function combinations(first: readonly number[], second: readonly number[], third: readonly number[]): ClassTrigrams {
  let set = 0n;
  for (const a of first) for (const b of second) for (const c of third) set |= 1n << BigInt(a * 16 + b * 4 + c);
  return set;
}

/** Undefined if one of the bytes is outside words. */
function classesOf(place: ByteSet): number[] | undefined {
  const classes = new Set<number>();
  for (const byte of place) classes.add(CLASSES.findIndex((each) => each.test(String.fromCharCode(byte))));
  return classes.has(-1) ? undefined : [...classes];
}

const shareOf = (set: ClassTrigrams): number =>
  SHARES.reduce((sum, share, trigram) => ((set >> BigInt(trigram)) & 1n ? sum + share : sum), 0);
