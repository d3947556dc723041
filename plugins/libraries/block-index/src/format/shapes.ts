import type { ByteSet, Requirement } from '../regex/required.ts';

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
