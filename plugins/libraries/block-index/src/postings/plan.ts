import type { List, Shard } from '../format/shard.ts';
import { MOST_PAIRS } from './block-requirements.ts';
import type { NeededKeys, RequiredKeys, Shapes } from './block-requirements.ts';

/** Which blocks may match: those in all lists (rarest first) with all pairs of words, or in any list, those with a shape of each set, those of all or any parts, every one, or none. */
export type Plan =
  | { readonly kind: 'intersection'; readonly lists: readonly [List, ...List[]]; readonly pairs: readonly number[] }
  | { readonly kind: 'union'; readonly lists: readonly List[] }
  | { readonly kind: 'shapes'; readonly sets: readonly Shapes[] }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Plan[] }
  | { readonly kind: 'every' | 'none' };

/** Most shards have nothing of most searches, so these are not made for each. */
const none: Plan = { kind: 'none' };
const every: Plan = { kind: 'every' };

/** A union of so many entries costs more than looking at every block. */
const DENSE_UNION = 1.5;
/** A choice of keys with more entries than this share of the blocks excludes too few of them. */
const RARE_CHOICE = 0.5;

export function planKeys(shard: Shard, keys: NeededKeys): Plan {
  if (!shard.hasKeys) return every;
  if ('every' in keys) return intersect(shard, keys);
  const lists = shard.lists(keys.from, keys.to);
  if (lists.length === 0) return none;
  const entries = lists.reduce((sum, { count }) => sum + count, 0);
  return entries > shard.blocks * DENSE_UNION ? every : { kind: 'union', lists };
}

/** What the expression needs, and the shapes of what it needs. */
export function planExpression(shard: Shard, keys: RequiredKeys, sets: readonly Shapes[]): Plan {
  if (!shard.hasKeys) return every;
  const plan = planRequired(shard, keys);
  return sets.length > 0 ? all([plan, { kind: 'shapes', sets }]) : plan;
}

function planRequired(shard: Shard, keys: RequiredKeys): Plan {
  if (!keys) return every;
  if ('every' in keys) return keys.every.length > 0 ? intersect(shard, keys) : rarestChoice(shard, keys.choices);
  return 'all' in keys
    ? all(keys.all.map((part) => planRequired(shard, part)))
    : any(keys.any.map((part) => planRequired(shard, part)));
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

function intersect(shard: Shard, { every: keys, pairs }: Extract<NeededKeys, { every: unknown }>): Plan {
  const lists: List[] = [];
  for (const key of keys) {
    const list = shard.list(key);
    if (!list) return none;
    lists.push(list);
  }
  return ofLists(lists, pairs);
}

/** Of the rarest three adjacent places that may hold some characters each (`0x[0-9a-f]`): the lists of what they may be together. */
function rarestChoice(shard: Shard, choices: readonly (readonly number[])[]): Plan {
  let best: Plan = every;
  let fewest = shard.blocks * RARE_CHOICE;
  for (const keys of choices) {
    const lists = keys.map((key) => shard.list(key)).filter((list) => list !== undefined);
    const entries = lists.reduce((sum, { count }) => sum + count, 0);
    if (entries >= fewest) continue;
    fewest = entries;
    best = lists.length === 0 ? none : { kind: 'union', lists };
  }
  return best;
}

/** One intersection of all plain lists, and what else there is. */
function all(parts: readonly Plan[]): Plan {
  if (parts.some(({ kind }) => kind === 'none')) return none;
  const intersections = parts.filter((part) => part.kind === 'intersection');
  const plain = ofLists(
    intersections.flatMap(({ lists }) => lists),
    intersections.flatMap(({ pairs }) => pairs).slice(0, MOST_PAIRS),
  );
  const others = parts.filter(({ kind }) => kind !== 'intersection' && kind !== 'every');
  const plans = plain.kind === 'every' ? others : [plain, ...others];
  const [only] = plans;
  return !only ? every : plans.length === 1 ? only : { kind: 'all', parts: plans };
}

function any(parts: readonly Plan[]): Plan {
  if (parts.some(({ kind }) => kind === 'every')) return every;
  const some = parts.filter(({ kind }) => kind !== 'none');
  const [only] = some;
  return !only ? none : some.length === 1 ? only : { kind: 'any', parts: some };
}

/** What is in all of some lists, which it puts in order, and has all pairs of words. */
function ofLists(lists: List[], pairs: readonly number[]): Plan {
  lists.sort((a, b) => a.count - b.count);
  return hasAny(lists) ? { kind: 'intersection', lists, pairs } : every;
}

const hasAny = (lists: readonly List[]): lists is readonly [List, ...List[]] => lists.length > 0;
