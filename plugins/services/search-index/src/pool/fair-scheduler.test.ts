import { expect, test } from 'vitest';
import { FairScheduler } from './fair-scheduler.ts';

/** What runs in so many scheduler of which each takes so long. */
function run(scheduler: FairScheduler<string>, count: number, milliseconds: number): string {
  return Array.from({ length: count }, () => {
    const next = scheduler.next();
    if (next) scheduler.spend(next, milliseconds);
    return next?.item ?? '-';
  }).join('');
}

test('callers have as much time as each other, however many searches one has', () => {
  const scheduler = new FairScheduler<string>();
  for (const item of ['a', 'b', 'c', 'd']) scheduler.add(1, item);
  scheduler.add(2, 'x');
  expect(run(scheduler, 12, 5)).toBe('axbxcxaxbxcx');
});

test('a short search of a caller who comes later is not behind long ones', () => {
  const scheduler = new FairScheduler<string>();
  scheduler.add(1, 'a');
  run(scheduler, 100, 5);
  scheduler.add(2, 'x');
  expect(run(scheduler, 5, 4)).toBe('xxxxa');
});

test('who comes back has what it had counted', () => {
  const scheduler = new FairScheduler<string>();
  scheduler.add(1, 'a');
  let had = '';
  for (let i = 0; i < 10; i += 1) {
    scheduler.add(2, 'x');
    had += run(scheduler, 2, 5);
    scheduler.remove(2, 'x');
  }
  expect([...had].filter((each) => each === 'x').length).toBeLessThanOrEqual(11);
  expect(had).toContain('a');
});

test('nothing is next where nothing waits, and what is removed is not', () => {
  const scheduler = new FairScheduler<string>();
  scheduler.add(1, 'a');
  scheduler.add(1, 'b');
  scheduler.remove(1, 'a');
  expect([run(scheduler, 2, 1), scheduler.isEmpty]).toEqual(['bb', false]);
  scheduler.remove(1, 'b');
  expect([scheduler.next(), scheduler.isEmpty]).toEqual([undefined, true]);
});

const begunOf = (had: string): string[] => [...new Set(had.trim().split(' '))].toSorted();

test('of many callers with many searches only some are begun, and the next when one of them ends', () => {
  const scheduler = new FairScheduler<string>();
  const callers = Array.from({ length: 60 }, (_, caller) => caller);
  for (const caller of callers) for (const item of 'abcd') scheduler.add(caller, `${item}${caller} `);
  const begun = (): string[] => begunOf(run(scheduler, 400, 0.01));
  const first = begun();
  expect(first).toHaveLength(24);
  scheduler.remove(Number(first[0]?.slice(1)), `${first[0]} `);
  expect(begun().filter((each) => !first.includes(each))).toHaveLength(1);
});

test('who had to wait has saved up nothing', () => {
  const scheduler = new FairScheduler<string>();
  for (let caller = 0; caller < 25; caller += 1) scheduler.add(caller, `a${caller} `);
  run(scheduler, 400, 10);
  scheduler.remove(0, 'a0 ');
  const had = run(scheduler, 26, 10).trim().split(' ');
  expect(had.filter((each) => each === 'a24').length).toBeLessThan(3);
  expect(had).toContain('a24');
});

test('one caller does not take what others may begin with', () => {
  const scheduler = new FairScheduler<string>();
  for (let caller = 0; caller < 12; caller += 1) for (const item of 'abc') scheduler.add(caller, `${item}${caller} `);
  run(scheduler, 100, 0.1);
  scheduler.add(99, 'x ');
  expect(run(scheduler, 40, 0.1)).toContain('x');
});
