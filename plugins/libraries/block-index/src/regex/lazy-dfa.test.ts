import { expect, test } from 'vitest';
import { Arena } from '../kernel/arena.ts';
import { compiledRegex } from '../match/compiled-term.ts';
import type { CompiledRegex } from '../match/compiled-term.ts';
import { Workspace } from '../workspace.ts';
import { parseRegex } from './parse.ts';

const workspace = new Workspace(Arena.create(32 << 20));
const { automata, arena } = workspace;
const regex = (pattern: string): CompiledRegex => compiledRegex(pattern, () => parseRegex(pattern));

test('an expression that is searched again finds its automata, whoever used them in between', () => {
  const first = automata.use(regex('a+b'));
  expect(automata.use(regex('a+b'))).toEqual(first);
  automata.letGo(regex('a+b'));
  automata.letGo(regex('a+b'));
  for (const pattern of ['b', 'c', 'd']) {
    automata.use(regex(pattern));
    automata.letGo(regex(pattern));
  }
  expect(automata.use(regex('a+b'))).toEqual(first);
  automata.letGo(regex('a+b'));
});

test('the memory of those that nobody uses is bounded, and those in use stay', () => {
  automata.keepOnly(0);
  const before = arena.taken;
  const used = automata.use(regex('in use'));
  const ofOne = arena.taken - before;
  for (let i = 0; i < 20; i += 1) {
    automata.use(regex(`x${i}`));
    automata.letGo(regex(`x${i}`));
  }
  expect(arena.taken - before).toBeLessThanOrEqual(5 * ofOne);
  automata.keepOnly(0);
  expect(automata.use(regex('in use'))).toEqual(used);
  automata.letGo(regex('in use'));
  automata.letGo(regex('in use'));
  automata.keepOnly(0);
  expect(arena.taken).toBe(before);
});

test('where the memory is full those that nobody uses make room', () => {
  const patterns = Array.from({ length: 60 }, (_, i) => regex(`y${i}`));
  let held = 0;
  expect(() => {
    for (const pattern of patterns) {
      automata.use(pattern);
      held += 1;
    }
  }).toThrow('no ');
  const [first] = patterns;
  if (first) automata.letGo(first);
  expect(() => automata.use(regex('the one too many'))).not.toThrow();
  expect(held).toBeGreaterThan(10);
});
