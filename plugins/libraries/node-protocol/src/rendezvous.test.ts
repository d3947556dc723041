import { expect, test } from 'vitest';
import { ownersOf } from './rendezvous.ts';

const nodes = Array.from({ length: 16 }, (_, index) => `node-${index}`);

/** The same numbers in each run, between 0 and 1. */
function* numbers(): Generator<number, never> {
  let state = 1;
  for (;;) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    yield state / 0x80000000;
  }
}

/** 100,000 repositories of 7.5 TB, whose sizes differ as those of a code host do: log-normal, the largest some 40 GB. */
function corpus(): { name: string; bytes: number }[] {
  const random = numbers();
  return Array.from({ length: 100_000 }, (_, index) => {
    const normal = Math.sqrt(-2 * Math.log(1 - random.next().value)) * Math.cos(2 * Math.PI * random.next().value);
    return { name: `org-${index % 977}/repository-${index}`, bytes: Math.min(44e9, Math.exp(15.5 + 2.3 * normal)) };
  });
}

const repositories = corpus();
const placedOn = (names: readonly string[]): string[][] => repositories.map(({ name }) => ownersOf(name, names, 2));
const before = placedOn(nodes);

const bytesOf = (index: number): number => repositories[index]?.bytes ?? 0;

test('each repository has two owners, and their bytes are spread evenly', () => {
  const bytes = new Map(nodes.map((node) => [node, 0]));
  for (const [index, owners] of before.entries())
    for (const node of owners) bytes.set(node, (bytes.get(node) ?? 0) + bytesOf(index));
  expect(before.filter((owners) => new Set(owners).size !== 2)).toEqual([]);
  const all = [...bytes.values()];
  const mean = all.reduce((sum, each) => sum + each, 0) / all.length;
  expect(Math.max(...all) / mean).toBeLessThanOrEqual(1.25);
});

test('a node that is lost leaves none unreachable, and moves only what it had', () => {
  const [lost = '', ...left] = nodes;
  const kept = before.map((owners) => owners.filter((node) => node !== lost));
  expect(kept.filter((owners) => owners.length === 0)).toEqual([]);
  const moved = placedOn(left).filter((owners, index) => kept[index]?.some((node) => !owners.includes(node)));
  expect(moved).toEqual([]);
});

test('a node that is added takes its share of the bytes, and nothing else moves', () => {
  const now = placedOn([...nodes, 'node-16']);
  const taken = now.map((owners, index) => owners.filter((node) => !before[index]?.includes(node)));
  expect(new Set(taken.flat())).toEqual(new Set(['node-16']));
  const sum = (placed: readonly string[][]): number =>
    placed.reduce((all, owners, index) => all + owners.length * bytesOf(index), 0);
  expect(sum(taken) / sum(now)).toBeLessThanOrEqual(1.3 / 17);
});
