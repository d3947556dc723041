import { expect, test } from 'vitest';
import { Arena } from '../kernel/arena.ts';
import { compiledRegex } from '../match/compiled-term.ts';
import type { CompiledRegex } from '../match/compiled-term.ts';
import { Workspace } from '../workspace.ts';
import { parseRegex } from './parse.ts';

const workspace = new Workspace(Arena.create(32 << 20));
const { dfas, arena } = workspace;
const regex = (pattern: string): CompiledRegex => compiledRegex(pattern, () => parseRegex(pattern));

test('an expression that is searched again finds its dfas, whoever used them in between', () => {
  const first = dfas.use(regex('a+b'));
  expect(dfas.use(regex('a+b'))).toEqual(first);
  dfas.letGo(regex('a+b'));
  dfas.letGo(regex('a+b'));
  for (const pattern of ['b', 'c', 'd']) {
    dfas.use(regex(pattern));
    dfas.letGo(regex(pattern));
  }
  expect(dfas.use(regex('a+b'))).toEqual(first);
  dfas.letGo(regex('a+b'));
});

test('the memory of those that nobody uses is bounded, and those in use stay', () => {
  dfas.keepOnly(0);
  const before = arena.taken;
  const used = dfas.use(regex('in use'));
  const ofOne = arena.taken - before;
  for (let i = 0; i < 20; i += 1) {
    dfas.use(regex(`x${i}`));
    dfas.letGo(regex(`x${i}`));
  }
  expect(arena.taken - before).toBeLessThanOrEqual(5 * ofOne);
  dfas.keepOnly(0);
  expect(dfas.use(regex('in use'))).toEqual(used);
  dfas.letGo(regex('in use'));
  dfas.letGo(regex('in use'));
  dfas.keepOnly(0);
  expect(arena.taken).toBe(before);
});

test('where the memory is full those that nobody uses make room', () => {
  const patterns = Array.from({ length: 60 }, (_, i) => regex(`y${i}`));
  let held = 0;
  expect(() => {
    for (const pattern of patterns) {
      dfas.use(pattern);
      held += 1;
    }
  }).toThrow('no ');
  const [first] = patterns;
  if (first) dfas.letGo(first);
  expect(() => dfas.use(regex('the one too many'))).not.toThrow();
  expect(held).toBeGreaterThan(10);
});
