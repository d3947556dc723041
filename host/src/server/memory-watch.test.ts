import { expect, test } from 'vitest';
import { MemoryWatch } from './memory-watch.ts';

test('caches are given up at the limit, and calls are few only where that was not enough', () => {
  const seen: unknown[] = [];
  let resident = 900;
  const watch = new MemoryWatch({
    mostBytes: () => 1000,
    residentBytes: () => resident,
    shed: () => seen.push('shed'),
    tell: (isShort) => seen.push(isShort),
    log: { info: (_fields, message) => seen.push(message), warn: (_fields, message) => seen.push(message) },
  });
  watch.look();
  expect(seen.splice(0)).toEqual([false]);
  resident = 1000;
  watch.look();
  expect(seen.splice(0)).toEqual([expect.stringContaining('caches are given up'), 'shed', false]);
  watch.look();
  expect(seen.splice(0)).toEqual([expect.stringContaining('without caches, too'), 'shed', true]);
  watch.look();
  expect(seen.splice(0)).toEqual(['shed', true]);
  resident = 999;
  watch.look();
  expect(seen.splice(0)).toEqual(['there is enough memory again', false]);
});
