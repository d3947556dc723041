import { FOLD, trigramOf } from '../format/format.ts';
import type { ByteSet, Requirement } from '../regex/requirements.ts';
import type { List, Shard } from '../format/shard.ts';

// The trigrams that a block must have if it may contain a text or a match of an expression.

/** What a text requires. A text of one or two bytes requires any trigram in [from, to). */
export type TextTrigrams = { readonly trigrams: readonly number[] } | { readonly from: number; readonly to: number };

/** The requirements of a text. */
export function trigramsOf(bytes: Uint8Array): TextTrigrams {
  if (bytes.length < 3) return trigramsStartingWith(bytes);
  const trigrams = new Set<number>();
  for (let i = 0; i + 2 < bytes.length; i++)
    trigrams.add(trigramOf(folded(bytes[i]), folded(bytes[i + 1]), folded(bytes[i + 2])));
  return { trigrams: [...trigrams] };
}

/** Every segment ends with two zero bytes, so one or two bytes at its end start a trigram, too. */
function trigramsStartingWith(bytes: Uint8Array): TextTrigrams {
  if (bytes.length === 1) return { from: trigramOf(folded(bytes[0]), 0, 0), to: trigramOf(folded(bytes[0]) + 1, 0, 0) };
  const from = trigramOf(folded(bytes[0]), folded(bytes[1]), 0);
  return { from, to: from + 128 };
}

const folded = (byte: number | undefined): number => FOLD[byte ?? 0] ?? 0;

/** The trigrams of a run of adjacent byte sets. */
interface RunTrigrams {
  /** Every three sets that fold to one character each. */
  readonly trigrams: readonly number[];
  /** If there are none: of each three adjacent sets the trigrams of which a match has one. */
  readonly choices: readonly (readonly number[])[];
}

/** Maximum number of trigrams of a choice. */
const MAX_CHOICES = 256;
/** They are the same for all shards. */
const knownRuns = new WeakMap<readonly ByteSet[], RunTrigrams>();

function trigramsOfRun(run: readonly ByteSet[]): RunTrigrams {
  const known = knownRuns.get(run);
  if (known) return known;
  const places = run.map((place) => [...new Set([...place].map((byte) => FOLD[byte] ?? 0))]);
  const trigrams = new Set<number>();
  const choices: number[][] = [];
  for (let i = 0; i + 2 < places.length; i++) {
    const [first = [], second = [], third = []] = places.slice(i, i + 3);
    const count = first.length * second.length * third.length;
    if (count > MAX_CHOICES) continue;
    const choice = first.flatMap((a) => second.flatMap((b) => third.map((c) => trigramOf(a, b, c))));
    if (count > 1) choices.push(choice);
    else for (const trigram of choice) trigrams.add(trigram);
  }
  const found = { trigrams: [...trigrams], choices: trigrams.size > 0 ? [] : choices };
  knownRuns.set(run, found);
  return found;
}

/** Which blocks may match: those in a posting list; in all parts, whose lists come first, the shortest before the others; in any part; every block; none. */
export type BlockPlan =
  | { readonly kind: 'list'; readonly list: List }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly BlockPlan[] }
  | { readonly kind: 'every' | 'none' };

/** Also for texts with line breaks, which are searched by document: it has, for the plan of each line, a block that may match. */
export type Plan = BlockPlan | { readonly kind: 'lines'; readonly parts: readonly BlockPlan[] };

export const planList = (list: List): BlockPlan => ({ kind: 'list', list });

/** Constants, because most shards have nothing that a search looks for. */
const none: BlockPlan = { kind: 'none' };
const every: BlockPlan = { kind: 'every' };

/** A union of more ids than this multiple of the blocks costs more than reading every block. */
const DENSE_UNION = 1.5;
/** A choice of trigrams with more ids than this share of the blocks excludes too few of them. */
const RARE_CHOICE = 0.5;

/** The plan of a literal. A shard without trigrams has no index. */
export function planText(shard: Shard, required: TextTrigrams): BlockPlan {
  if (shard.trigrams === 0) return every;
  if ('trigrams' in required) return intersect(shard, required.trigrams);
  const lists = shard.lists(required.from, required.to);
  if (lists.length === 0) return none;
  const entries = lists.reduce((sum, { count }) => sum + count, 0);
  return entries > shard.blocks * DENSE_UNION ? every : any(lists.map(planList));
}

/** The plan of an expression. */
export function planRegex(shard: Shard, need: Requirement): BlockPlan {
  if (!need || shard.trigrams === 0) return every;
  if ('all' in need) return all(need.all.map((part) => planRegex(shard, part)));
  if ('any' in need) return any(need.any.map((part) => planRegex(shard, part)));
  const { trigrams, choices } = trigramsOfRun(need.run);
  return trigrams.length > 0 ? intersect(shard, trigrams) : rarestChoice(shard, choices);
}

/** An upper bound of the blocks of a plan. */
export function estimate(plan: Plan, blocks: number): number {
  switch (plan.kind) {
    case 'none':
      return 0;
    case 'every':
      return blocks;
    case 'list':
      return plan.list.count;
    case 'all':
    case 'lines':
      return Math.min(blocks, ...plan.parts.map((part) => estimate(part, blocks)));
    case 'any':
      return Math.min(
        blocks,
        plan.parts.reduce((sum, part) => sum + estimate(part, blocks), 0),
      );
  }
}

function intersect(shard: Shard, trigrams: readonly number[]): BlockPlan {
  const parts: BlockPlan[] = [];
  for (const trigram of trigrams) {
    const list = shard.list(trigram);
    if (!list) return none;
    parts.push(planList(list));
  }
  return all(parts);
}

/** The choice with the fewest ids, for expressions such as `0x[0-9a-f]` without a trigram of their own. */
function rarestChoice(shard: Shard, choices: readonly (readonly number[])[]): BlockPlan {
  let best: BlockPlan = every;
  let fewest = shard.blocks * RARE_CHOICE;
  for (const trigrams of choices) {
    const lists = trigrams.map((trigram) => shard.list(trigram)).filter((list) => list !== undefined);
    const entries = lists.reduce((sum, { count }) => sum + count, 0);
    if (entries >= fewest) continue;
    fewest = entries;
    best = any(lists.map(planList));
  }
  return best;
}

function all(parts: readonly BlockPlan[]): BlockPlan {
  if (parts.some(({ kind }) => kind === 'none')) return none;
  const each = parts.flatMap((part) => (part.kind === 'all' ? part.parts : part.kind === 'every' ? [] : [part]));
  const [only] = each;
  if (each.length < 2) return only ?? every;
  return { kind: 'all', parts: each.sort((a, b) => lengthOf(a) - lengthOf(b)) };
}

const lengthOf = (plan: BlockPlan): number => (plan.kind === 'list' ? plan.list.count : Number.MAX_SAFE_INTEGER);

function any(parts: readonly BlockPlan[]): BlockPlan {
  if (parts.some(({ kind }) => kind === 'every')) return every;
  const some = parts.filter(({ kind }) => kind !== 'none');
  const [only] = some;
  return some.length < 2 ? (only ?? none) : { kind: 'any', parts: some };
}
