import { expect, test } from 'vitest';
import { randomTurns } from '../testing/random-turns.ts';
import { SharedNumbers, SharedWork } from './shared-work.ts';

interface Done {
  readonly phase: number;
  readonly item: string;
}

/** Phases of some items each; what is done is noted when it ends. */
function* work(memory: SharedNumbers['memory'], done: Done[]): Generator<void> {
  const shared = new SharedWork(new SharedNumbers(memory), phases.length);
  for (const [phase, items] of phases.entries())
    yield* shared.each(items, function* (item) {
      yield;
      done.push({ phase, item });
    });
}

const phases = [['a', 'b', 'c'], [], ['d'], ['e', 'f', 'g', 'h']];

test('whoever comes when, each item is done once, and none of a phase before all of the one before', () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const memory = [new SharedArrayBuffer(64)];
    const done: Done[] = [];
    const threads = Array.from({ length: 3 }, () => work(memory, done));
    for (const turn of randomTurns(seed, { of: 3, length: seed * 3 })) threads[turn]?.next();
    // One that is through stays so.
    while (!threads.map((thread) => thread.next().done).every(Boolean));
    expect(done.map(({ item }) => item).toSorted()).toEqual(phases.flat());
    expect(done.map(({ phase }) => phase)).toEqual(done.map(({ phase }) => phase).toSorted());
  }
});

test('who comes when all is over has nothing to do', () => {
  const memory = [new SharedArrayBuffer(64)];
  const [first, second]: Done[][] = [[], []];
  expect([...work(memory, first ?? [])].length).toBeGreaterThan(phases.flat().length);
  expect([...work(memory, second ?? [])]).toEqual([]);
  expect(second).toEqual([]);
});
