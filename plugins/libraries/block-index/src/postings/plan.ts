import type { List, Shard } from '../format/shard.ts';
import { MAX_BIGRAMS } from './block-requirements.ts';
import type { BlockRequirement, TextTrigrams, RequiredTrigrams, ClassTrigrams } from './block-requirements.ts';

/**
 * Which blocks may match: those in all lists (rarest first) with all bigrams; in any list; with a member of each set of
 * character-class trigrams; in all or any of some parts; every block; or no block.
 */
export type Plan =
  | { readonly kind: 'intersection'; readonly lists: readonly [List, ...List[]]; readonly bigrams: readonly number[] }
  | { readonly kind: 'union'; readonly lists: readonly List[] }
  | { readonly kind: 'classes'; readonly sets: readonly ClassTrigrams[] }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Plan[] }
  | { readonly kind: 'every' | 'none' };

/** Constants, because most shards have nothing that a search looks for. */
const none: Plan = { kind: 'none' };
const every: Plan = { kind: 'every' };

/** A union of more ids than this multiple of the blocks costs more than reading every block. */
const DENSE_UNION = 1.5;
/** A choice of trigrams with more ids than this share of the blocks excludes too few of them. */
const RARE_CHOICE = 0.5;

/** The plan of a literal. */
export function planText(shard: Shard, required: TextTrigrams): Plan {
  if (!shard.hasTrigrams) return every;
  if ('trigrams' in required) return intersect(shard, required);
  const lists = shard.lists(required.from, required.to);
  if (lists.length === 0) return none;
  const entries = lists.reduce((sum, { count }) => sum + count, 0);
  return entries > shard.blocks * DENSE_UNION ? every : { kind: 'union', lists };
}

/** The plan of an expression. */
export function planRegex(shard: Shard, required: RequiredTrigrams, sets: readonly ClassTrigrams[]): Plan {
  if (!shard.hasTrigrams) return every;
  const plan = planRequired(shard, required);
  return sets.length > 0 ? all([plan, { kind: 'classes', sets }]) : plan;
}

function planRequired(shard: Shard, required: RequiredTrigrams): Plan {
  if (!required) return every;
  if ('trigrams' in required)
    return required.trigrams.length > 0 ? intersect(shard, required) : rarestChoice(shard, required.choices);
  return 'all' in required
    ? all(required.all.map((part) => planRequired(shard, part)))
    : any(required.any.map((part) => planRequired(shard, part)));
}

/** An upper bound of the blocks of a plan. */
export function estimate(plan: Plan, blocks: number): number {
  switch (plan.kind) {
    case 'none':
      return 0;
    case 'every':
    case 'classes':
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

function intersect(shard: Shard, { trigrams, bigrams }: BlockRequirement): Plan {
  const lists: List[] = [];
  for (const trigram of trigrams) {
    const list = shard.list(trigram);
    if (!list) return none;
    lists.push(list);
  }
  return ofLists(lists, bigrams);
}

/** The choice with the fewest ids, for expressions such as `0x[0-9a-f]` without a trigram of their own. */
function rarestChoice(shard: Shard, choices: readonly (readonly number[])[]): Plan {
  let best: Plan = every;
  let fewest = shard.blocks * RARE_CHOICE;
  for (const trigrams of choices) {
    const lists = trigrams.map((trigram) => shard.list(trigram)).filter((list) => list !== undefined);
    const entries = lists.reduce((sum, { count }) => sum + count, 0);
    if (entries >= fewest) continue;
    fewest = entries;
    best = lists.length === 0 ? none : { kind: 'union', lists };
  }
  return best;
}

/** The conjunction of some plans: one intersection of all their lists, and the other parts. */
function all(parts: readonly Plan[]): Plan {
  if (parts.some(({ kind }) => kind === 'none')) return none;
  const intersections = parts.filter((part) => part.kind === 'intersection');
  const plain = ofLists(
    intersections.flatMap(({ lists }) => lists),
    intersections.flatMap(({ bigrams }) => bigrams).slice(0, MAX_BIGRAMS),
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

/** The intersection of some lists, which it sorts. */
function ofLists(lists: List[], bigrams: readonly number[]): Plan {
  lists.sort((a, b) => a.count - b.count);
  return hasAny(lists) ? { kind: 'intersection', lists, bigrams } : every;
}

const hasAny = (lists: readonly List[]): lists is readonly [List, ...List[]] => lists.length > 0;
