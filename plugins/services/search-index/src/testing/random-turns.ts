/** Whose turn it is, again and again, in an order that a seed decides. */
export const randomTurns = (seed: number, { of, length }: { of: number; length: number }): number[] =>
  Array.from({ length }, (_, turn) => (Math.imul(seed * 997 + turn + 1, 0x9e37_79b1) >>> 16) % of);
