/** The places of a pair: three bytes, a space, two bytes. */
const BEFORE = 3;
const BEHIND = 2;
const SPACE = 32;
const NUMBER_BITS = 13;
/** More are not asked for. */
export const MOST_PAIRS = 32;

const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;

/** The numbers of the pairs of words, as in assembly/pairs.ts, that stand wherever these places do, each of which holds one of some bytes. */
export function pairsOf(places: readonly (readonly number[])[]): number[] {
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
