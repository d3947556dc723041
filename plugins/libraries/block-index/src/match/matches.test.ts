import { expect, test } from 'vitest';
import { Matches, MatchBuffer } from './matches.ts';

const match = (document: number): Matches => new Matches(Uint32Array.of(document, 0, 0, 9, 1, 2));
const documents = (matches: Matches): number[] => [...matches.documents()];

test('matches that are put together in a compiled are good until the next, which uses the same memory', () => {
  const memory = new MatchBuffer();
  memory.begin();
  memory.add(match(1));
  memory.add(match(2));
  const one = memory.take();
  memory.room(6).set(match(3).data);
  const other = memory.keep(6);
  expect([documents(one), documents(other)]).toEqual([[1, 2], [3]]);
  memory.begin();
  memory.add(match(4));
  expect(memory.take().data.buffer).toBe(one.data.buffer);
});

test('what is dropped is not among what is added next', () => {
  const memory = new MatchBuffer();
  memory.add(match(1));
  memory.drop();
  memory.add(match(2));
  expect(documents(memory.take())).toEqual([2]);
});

test('what needs more memory gets it for one compiled, and what was taken before stays', () => {
  const memory = new MatchBuffer();
  memory.add(match(1));
  const small = memory.take();
  memory.add(match(2));
  const numbers = small.data.buffer.byteLength / 4;
  memory.add(new Matches(new Uint32Array(numbers).fill(3)));
  const large = memory.take();
  expect([documents(small), documents(large), large.data.length]).toEqual([[1], [2, 3], numbers + 6]);
  memory.begin();
  memory.add(match(4));
  expect(memory.take().data.buffer.byteLength).toBe(numbers * 4);
});
