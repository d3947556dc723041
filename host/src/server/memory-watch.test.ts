import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MemoryWatch, collectGarbage } from './memory-watch.ts';

test('caches are given up near the limit, and calls are few only where that was not enough', () => {
  const seen: unknown[] = [];
  let resident = 800;
  const watch = new MemoryWatch({
    mostBytes: () => 1000,
    residentBytes: () => resident,
    limit: () => undefined,
    shed: () => seen.push('shed'),
    tell: (isShort) => seen.push(isShort),
    log: { info: (_fields, message) => seen.push(message), warn: (_fields, message) => seen.push(message) },
  });
  watch.look();
  expect(seen.splice(0)).toEqual([false]);
  resident = 900;
  watch.look();
  expect(seen.splice(0)).toEqual([expect.stringContaining('caches are given up'), 'shed', false]);
  for (let at = 0; at < 15; at += 1) watch.look();
  expect(seen.splice(0).filter((each) => each !== false)).toEqual(['shed']);
  resident = 1000;
  watch.look();
  expect(seen.splice(0)).toEqual([expect.stringContaining('without caches, too'), 'shed', true]);
  watch.look();
  expect(seen.splice(0)).toEqual(['shed', true]);
  for (let at = 0; at < 15; at += 1) watch.look();
  expect(seen.splice(0).filter((each) => each !== true)).toEqual(['shed']);
  resident = 999;
  watch.look();
  expect(seen.splice(0)).toEqual(['there is enough memory again', false]);
  resident = 800;
  watch.look();
  expect(seen.splice(0)).toEqual([false]);
  resident = 1000;
  watch.look();
  expect(seen.splice(0)).toEqual([expect.stringContaining('caches are given up'), 'shed', false]);
});

test('caches are not given up again and again where memory is near the limit now and then', () => {
  const seen: string[] = [];
  let resident = 900;
  const watch = new MemoryWatch({
    mostBytes: () => 1000,
    residentBytes: () => (resident = 1700 - resident),
    limit: () => undefined,
    shed: () => seen.push('shed'),
    tell: () => undefined,
    log: { info: () => seen.push('said'), warn: () => undefined },
  });
  for (let at = 0; at < 40; at += 1) watch.look();
  expect(seen).toEqual(['said', 'shed', 'said', 'shed', 'said', 'shed']);
});

test('the limit is told when it comes and goes', () => {
  const seen: boolean[] = [];
  let most: number | undefined;
  const watch = new MemoryWatch({
    mostBytes: () => most,
    residentBytes: () => 800,
    limit: (isLimited) => seen.push(isLimited),
    shed: () => undefined,
    tell: () => undefined,
    log: { info: () => undefined, warn: () => undefined },
  });
  for (most of [undefined, 1000, 2000, undefined]) watch.look();
  expect(seen).toEqual([true, false]);
});

test('what a cache held is collected', async () => {
  const texts = Array.from({ length: 100 }, (_, at) => [`${at}`.repeat(100_000)]);
  const held = new WeakRef(texts.splice(0));
  // Until the turn ends a reference that was made in it holds.
  await setImmediate();
  collectGarbage();
  expect(held.deref()).toBeUndefined();
  expect(globalThis).not.toHaveProperty('gc');
});

test('a limit that is too low for a minute is said once, with what to raise it to', () => {
  const seen: string[] = [];
  let resident = 1.7e9;
  const watch = new MemoryWatch({
    mostBytes: () => 1.5e9,
    residentBytes: () => resident,
    limit: () => undefined,
    shed: () => undefined,
    tell: () => undefined,
    log: { info: () => undefined, warn: (_fields, message) => seen.push(message) },
  });
  const advice = (): string[] => seen.splice(0).filter((message) => message.includes('raise it'));
  const look = (times: number): void => {
    for (let at = 0; at < times; at += 1) watch.look();
  };
  look(29);
  expect(advice()).toEqual([]);
  resident = 1.6e9;
  look(1);
  expect(advice()).toEqual([expect.stringContaining('may take 1.50 GB; raise it to 2.0 GB (2.2 GB of a container)')]);
  look(60);
  expect(advice()).toEqual([]);
  resident = 1e9;
  look(30);
  resident = 1.6e9;
  look(30);
  expect(advice()).toHaveLength(1);
});
