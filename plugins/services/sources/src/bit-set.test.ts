import { describe, expect, it } from 'vitest';
import { BitSet } from './bit-set.ts';

describe('a set of numbers', () => {
  it.each([
    ['no number', []],
    ['the first number', [0]],
    ['numbers around the ends of bytes', [7, 8, 15, 16, 4095]],
    ['every third of many', Array.from({ length: 3000 }, (_, index) => index * 3)],
  ])('holds exactly %s, also as text', (_what, numbers) => {
    const read = BitSet.fromText(BitSet.of(numbers).toText());
    const held = Array.from({ length: 10_000 }, (_, number) => number).filter((number) => read.has(number));
    expect(held).toEqual(numbers);
  });

  it('is refused where the text is another', () => {
    expect(() => BitSet.fromText('no bits')).toThrow();
  });
});
