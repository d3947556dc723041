import { pairsOf } from '../postings/word-pairs.ts';

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
