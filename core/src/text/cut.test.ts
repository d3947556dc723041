import { expect, test } from 'vitest';
import { cut } from './cut.ts';

test('a long text is cut to its limit, between two characters', () => {
  expect(cut('x'.repeat(256), 256)).toBe('x'.repeat(256));
  expect(cut('x'.repeat(300), 256)).toBe(`${'x'.repeat(255)}…`);
  expect(cut(`${'x'.repeat(254)}😀${'x'.repeat(9)}`, 256)).toBe(`${'x'.repeat(254)}…`);
  expect(cut(`${'x'.repeat(253)}😀${'x'.repeat(9)}`, 256)).toBe(`${'x'.repeat(253)}😀…`);
});
