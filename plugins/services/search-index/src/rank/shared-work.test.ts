import { expect, test } from 'vitest';
import { randomTurns } from '../testing/random-turns.ts';
import { SharedWork } from './shared-work.ts';

interface Done {
  readonly phase: number;
  readonly item: string;
}

/** Phases of some items each; what is done is noted when it ends. */
function* work(numbers: Int32Array, phases: readonly string[][], done: Done[]): Generator<void> {
  const shared = new SharedWork(numbers);
  for (const [phase, items] of phases.entries())
    yield* shared.each(items, function* (item) {
      yield;
      done.push({ phase, item });
    });
}

const phases = [['a', 'b', 'c'], [], ['d'], ['e', 'f', 'g', 'h']];

test('whoever comes when, each item is done once, and none of a phase before all of the one before', () => {
  for (let seed = 0; seed < 30; seed += 1) {
    const numbers = new Int32Array(new SharedArrayBuffer(4 * SharedWork.numbersFor(phases.length)));
    const done: Done[] = [];
    const threads = Array.from({ length: 3 }, () => work(numbers, phases, done));
    for (const turn of randomTurns(seed, { of: 3, length: seed * 3 })) threads[turn]?.next();
    // One that is through stays so.
    while (!threads.map((thread) => thread.next().done).every(Boolean));
    expect(done.map(({ item }) => item).toSorted()).toEqual(phases.flat());
    expect(done.map(({ phase }) => phase)).toEqual(done.map(({ phase }) => phase).toSorted());
  }
});

test('who comes when all is over has nothing to do', () => {
  const numbers = new Int32Array(new SharedArrayBuffer(4 * SharedWork.numbersFor(phases.length)));
  const [first, second]: Done[][] = [[], []];
  expect([...work(numbers, phases, first ?? [])].length).toBeGreaterThan(phases.flat().length);
  expect([...work(numbers, phases, second ?? [])]).toEqual([]);
  expect(second).toEqual([]);
});
