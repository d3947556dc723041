import { FOLD, keyOf } from './keys.ts';
import type { NeededKeys } from './keys.ts';
import type { ByteSet, Requirement } from './regex/required.ts';
import type { List, Shard } from './shard.ts';
import type { Shapes } from './shapes.ts';

/** Which blocks may match: those in all lists (rarest first) or in any, those with a shape of each set, those of all or any parts, every one, or none. */
export type Plan =
  | { readonly kind: 'intersection'; readonly lists: readonly [List, ...List[]] }
  | { readonly kind: 'union'; readonly lists: readonly List[] }
  | { readonly kind: 'shapes'; readonly sets: readonly Shapes[] }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Plan[] }
  | { readonly kind: 'every' | 'none' };

/** A union of so many entries costs more than looking at every block. */
const DENSE_UNION = 1.5;
/** Keys that a choice may have; one with more entries than this share of the blocks excludes too few of them. */
const MOST_CHOICES = 256;
const RARE_CHOICE = 0.5;

export function planKeys(shard: Shard, keys: NeededKeys): Plan {
  if ('every' in keys) return intersect(shard, keys.every);
  const lists = shard.lists(keys.from, keys.to);
  if (lists.length === 0) return { kind: 'none' };
  const entries = lists.reduce((sum, { count }) => sum + count, 0);
  return entries > shard.blocks * DENSE_UNION ? { kind: 'every' } : { kind: 'union', lists };
}

/** What the expression needs, and the shapes of what it needs. */
export function planExpression(shard: Shard, need: Requirement, sets: readonly Shapes[]): Plan {
  const plan = planRequirement(shard, need);
  return sets.length > 0 ? all([plan, { kind: 'shapes', sets }]) : plan;
}

function planRequirement(shard: Shard, need: Requirement): Plan {
  if (!need) return { kind: 'every' };
  if ('run' in need) return planRun(shard, need.run);
  return 'all' in need
    ? all(need.all.map((part) => planRequirement(shard, part)))
    : any(need.any.map((part) => planRequirement(shard, part)));
}

/** At most so many blocks. */
export function estimate(plan: Plan, blocks: number): number {
  switch (plan.kind) {
    case 'none':
      return 0;
    case 'every':
    case 'shapes':
      return blocks;
    case 'intersection':
      return plan.lists[0].count;
    case 'union':
      return Math.min(
        blocks,
        plan.lists.reduce((sum, { count }) => sum + count, 0),
      );
    case 'all':
      return Math.min(...plan.parts.map((part) => estimate(part, blocks)));
    case 'any':
      return Math.min(
        blocks,
        plan.parts.reduce((sum, part) => sum + estimate(part, blocks), 0),
      );
  }
}

function intersect(shard: Shard, keys: readonly number[]): Plan {
  const lists: List[] = [];
  for (const key of keys) {
    const list = shard.list(key);
    if (!list) return { kind: 'none' };
    lists.push(list);
  }
  const [first, ...rest] = lists.sort((a, b) => a.count - b.count);
  return first ? { kind: 'intersection', lists: [first, ...rest] } : { kind: 'every' };
}

function planRun(shard: Shard, run: readonly ByteSet[]): Plan {
  const places = run.map((place) => [...new Set([...place].map((byte) => FOLD[byte] ?? 0))]);
  const plain = intersect(shard, keysOfPlaces(places));
  return plain.kind === 'every' ? rarestChoice(shard, places) : plain;
}

/** Of three adjacent places that may hold some characters each (`0x[0-9a-f]`): the lists of what they may be together. */
function rarestChoice(shard: Shard, places: readonly (readonly number[])[]): Plan {
  let best: Plan = { kind: 'every' };
  let fewest = shard.blocks * RARE_CHOICE;
  for (let i = 0; i + 2 < places.length; i++) {
    const [first = [], second = [], third = []] = places.slice(i, i + 3);
    if (first.length * second.length * third.length > MOST_CHOICES) continue;
    const keys = first.flatMap((a) => second.flatMap((b) => third.map((c) => keyOf(a, b, c))));
    const lists = keys.map((key) => shard.list(key)).filter((list) => list !== undefined);
    const entries = lists.reduce((sum, { count }) => sum + count, 0);
    if (entries >= fewest) continue;
    fewest = entries;
    best = lists.length === 0 ? { kind: 'none' } : { kind: 'union', lists };
  }
  return best;
}

/** One intersection of all plain lists, and what else there is. */
function all(parts: readonly Plan[]): Plan {
  if (parts.some(({ kind }) => kind === 'none')) return { kind: 'none' };
  const [first, ...rest] = parts
    .flatMap((part) => (part.kind === 'intersection' ? part.lists : []))
    .sort((a, b) => a.count - b.count);
  const others = parts.filter(({ kind }) => kind !== 'intersection' && kind !== 'every');
  const plans: Plan[] = first ? [{ kind: 'intersection', lists: [first, ...rest] }, ...others] : others;
  const [only] = plans;
  return !only ? { kind: 'every' } : plans.length === 1 ? only : { kind: 'all', parts: plans };
}

function any(parts: readonly Plan[]): Plan {
  if (parts.some(({ kind }) => kind === 'every')) return { kind: 'every' };
  const some = parts.filter(({ kind }) => kind !== 'none');
  const [only] = some;
  return !only ? { kind: 'none' } : some.length === 1 ? only : { kind: 'any', parts: some };
}

/** The keys of three adjacent places that each fold to one character. */
function keysOfPlaces(places: readonly (readonly number[])[]): number[] {
  const keys = new Set<number>();
  for (let i = 0; i + 2 < places.length; i++) {
    const [a, b, c] = places.slice(i, i + 3).map(onlyOne);
    if (a !== undefined && b !== undefined && c !== undefined) keys.add(keyOf(a, b, c));
  }
  return [...keys];
}

const onlyOne = ([first, ...others]: readonly number[]): number | undefined =>
  others.length === 0 ? first : undefined;
