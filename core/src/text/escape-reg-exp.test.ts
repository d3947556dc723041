import { expect, test } from 'vitest';
import { escapeRegExp } from './escape-reg-exp.ts';

test('each printable character is matched by its escape alone, in every mode', () => {
  const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
  for (const character of printable)
    for (const flags of ['', 'u', 'v']) {
      const expression = new RegExp(`^${escapeRegExp(character)}$`, flags);
      expect(printable.filter((other) => expression.test(other))).toEqual([character]);
    }
});
