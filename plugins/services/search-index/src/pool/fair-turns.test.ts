import { expect, test } from 'vitest';
import { FairTurns } from './fair-turns.ts';

/** What runs in so many turns of which each takes so long. */
function run(turns: FairTurns<string>, count: number, milliseconds: number): string {
  return Array.from({ length: count }, () => {
    const next = turns.next();
    if (next) turns.spend(next, milliseconds);
    return next?.item ?? '-';
  }).join('');
}

test('callers have as much time as each other, however many searches one has', () => {
  const turns = new FairTurns<string>();
  for (const item of ['a', 'b', 'c', 'd']) turns.add(1, item);
  turns.add(2, 'x');
  expect(run(turns, 12, 5)).toBe('axbxcxaxbxcx');
});

test('a short search of a caller who comes later is not behind long ones', () => {
  const turns = new FairTurns<string>();
  turns.add(1, 'a');
  run(turns, 100, 5);
  turns.add(2, 'x');
  expect(run(turns, 5, 4)).toBe('xxxxa');
});

test('who comes back has what it had counted', () => {
  const turns = new FairTurns<string>();
  turns.add(1, 'a');
  let had = '';
  for (let i = 0; i < 10; i += 1) {
    turns.add(2, 'x');
    had += run(turns, 2, 5);
    turns.remove(2, 'x');
  }
  expect([...had].filter((each) => each === 'x').length).toBeLessThanOrEqual(11);
  expect(had).toContain('a');
});

test('nothing is next where nothing waits, and what is removed is not', () => {
  const turns = new FairTurns<string>();
  turns.add(1, 'a');
  turns.add(1, 'b');
  turns.remove(1, 'a');
  expect([run(turns, 2, 1), turns.isEmpty]).toEqual(['bb', false]);
  turns.remove(1, 'b');
  expect([turns.next(), turns.isEmpty]).toEqual([undefined, true]);
});

const begunOf = (had: string): string[] => [...new Set(had.trim().split(' '))].toSorted();

test('of many callers with many searches only some are begun, and the next when one of them ends', () => {
  const turns = new FairTurns<string>();
  const callers = Array.from({ length: 60 }, (_, caller) => caller);
  for (const caller of callers) for (const item of 'abcd') turns.add(caller, `${item}${caller} `);
  const begun = (): string[] => begunOf(run(turns, 400, 0.01));
  const first = begun();
  expect(first).toHaveLength(24);
  turns.remove(Number(first[0]?.slice(1)), `${first[0]} `);
  expect(begun().filter((each) => !first.includes(each))).toHaveLength(1);
});

test('of those that take long only some go on, the next when one of them ends, and short ones wait for none', () => {
  const turns = new FairTurns<string>();
  for (let caller = 0; caller < 20; caller += 1) turns.add(caller, `a${caller} `);
  run(turns, 400, 10);
  const long = begunOf(run(turns, 100, 10));
  expect(long).toHaveLength(8);
  turns.add(99, 'x ');
  expect(run(turns, 2, 5)).toBe('x x ');
  turns.remove(99, 'x ');
  turns.remove(Number(long[0]?.slice(1)), `${long[0]} `);
  expect(begunOf(run(turns, 100, 10)).filter((each) => !long.includes(each))).toHaveLength(1);
});

test('who had to wait has saved up nothing', () => {
  const turns = new FairTurns<string>();
  for (let caller = 0; caller < 9; caller += 1) turns.add(caller, `a${caller} `);
  run(turns, 400, 10);
  const long = begunOf(run(turns, 100, 10));
  turns.remove(Number(long[0]?.slice(1)), `${long[0]} `);
  expect(begunOf(run(turns, 12, 10))).toHaveLength(8);
});

test('one caller does not take what others may begin with', () => {
  const turns = new FairTurns<string>();
  for (let caller = 0; caller < 12; caller += 1) for (const item of 'abc') turns.add(caller, `${item}${caller} `);
  run(turns, 100, 0.1);
  turns.add(99, 'x ');
  expect(run(turns, 40, 0.1)).toContain('x');
});

test('heavy searches rest, what is short goes on, and later they do', () => {
  const turns = new FairTurns<string>();
  for (let caller = 0; caller < 24; caller += 1) turns.add(caller, `a${caller} `);
  run(turns, 400, 10);
  turns.isResting = true;
  run(turns, 400, 10);
  expect(turns.next()).toBeUndefined();
  turns.add(99, 'x ');
  expect(run(turns, 3, 1)).toBe('x x x ');
  turns.remove(99, 'x ');
  turns.isResting = false;
  expect(run(turns, 8, 10)).toMatch(/^(a\d+ ){8}$/);
});
