import { expect, test } from 'vitest';
import { textSize } from '../text/text-size.ts';
import { shortened } from './shorten.ts';

const rest = 'ask for less';
const outputSchema = { properties: { notes: {} } };
const note = 'cut here: the answer is too long; ask for less';
const words = (count: number): string => 'one "two"\n'.repeat(count);
const sizeOf = (value: unknown): number => textSize(JSON.stringify(value));

test('an answer that fits stays as it is', () => {
  const answer = { list: [1, 2], limitHit: false };
  expect(shortened(answer, { cuts: { of: [['list']], flags: ['limitHit'] }, rest, outputSchema }, 1000)).toBe(answer);
});

test('a list keeps the first items that fit, its flags are set, and a note says so', () => {
  const answer = { list: Array.from({ length: 100 }, (_, index) => `item ${index}`), limitHit: false, notes: ['x'] };
  const short = shortened(answer, { cuts: { of: [['list']], flags: ['limitHit'] }, rest, outputSchema }, 600);
  expect(short).toMatchObject({ limitHit: true, notes: ['x', note] });
  const kept = short['list'] as string[];
  expect(kept).toEqual(answer.list.slice(0, kept.length));
  expect([kept.length > 20, sizeOf(short) <= 600]).toEqual([true, true]);
});

test('of an item that does not fit, the first items of its own list are kept', () => {
  const chunk = { content: words(5) };
  const answer = {
    blocks: [
      { file: 'a', chunks: [chunk] },
      { file: 'b', chunks: Array.from({ length: 50 }, () => chunk) },
    ],
  };
  const short = shortened(answer, { cuts: { of: [['blocks', 'chunks']], flags: [] }, rest, outputSchema }, 2000);
  const [first, second] = short['blocks'] as typeof answer.blocks;
  expect(first).toEqual(answer.blocks[0]);
  expect(second?.chunks.length).toBeGreaterThan(1);
  expect(sizeOf(short)).toBeLessThanOrEqual(2000);
});

test('anything else becomes the beginning of its text', () => {
  const cuts = { of: [['result'], ['output']], flags: [] };
  const short = shortened({ result: { text: words(1000) }, output: 'few' }, { cuts, rest, outputSchema }, 2000);
  expect(short).toMatchObject({
    result: expect.stringMatching(/^\{"text":"one[^]*\n\[cut here: .*; ask for less\]$/),
    output: 'few',
  });
  expect(sizeOf(short)).toBeLessThanOrEqual(2000);
  const printed = shortened(
    { result: 1, output: words(1000) },
    { cuts: { ...cuts, of: [['output']] }, rest, outputSchema },
    2000,
  );
  expect(printed['output']).toMatch(/^one "two"\none[^]*\n\[cut here: .*; ask for less\]$/);
  expect(sizeOf(printed)).toBeLessThanOrEqual(2000);
});

test('the answer of a tool that does not say what may be cut stays whole', () => {
  const answer = { list: [words(100)] };
  expect(shortened(answer, { cuts: { of: [], flags: [] }, rest, outputSchema }, 100)).toBe(answer);
});
