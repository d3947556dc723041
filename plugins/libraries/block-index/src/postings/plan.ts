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

/**
 * What an expression requires. Of adjacent byte sets, `trigrams` has every three that fold to one character each.
 * If there are none, each member of `choices` has the trigrams of three adjacent sets, of which a match has one.
 */
export type RequiredTrigrams =
  | { readonly trigrams: readonly number[]; readonly choices: readonly (readonly number[])[] }
  | { readonly all: readonly RequiredTrigrams[] }
  | { readonly any: readonly RequiredTrigrams[] }
  | undefined;

/** Maximum number of trigrams of a choice. */
const MAX_CHOICES = 256;

/** The trigrams that every match of an expression has. */
export function requiredTrigrams(need: Requirement): RequiredTrigrams {
  if (!need) return undefined;
  if ('run' in need) return trigramsOfRun(need.run);
  return 'all' in need ? { all: need.all.map(requiredTrigrams) } : { any: need.any.map(requiredTrigrams) };
}

function trigramsOfRun(run: readonly ByteSet[]): RequiredTrigrams {
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
  return { trigrams: [...trigrams], choices: trigrams.size > 0 ? [] : choices };
}

/** Which blocks may match: those in a posting list; in all parts, whose lists come first, the shortest before the others; in any part; every block; none. */
export type Plan =
  | { readonly kind: 'list'; readonly list: List }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Plan[] }
  | { readonly kind: 'every' | 'none' };

export const planList = (list: List): Plan => ({ kind: 'list', list });

/** Constants, because most shards have nothing that a search looks for. */
const none: Plan = { kind: 'none' };
const every: Plan = { kind: 'every' };

/** A union of more ids than this multiple of the blocks costs more than reading every block. */
const DENSE_UNION = 1.5;
/** A choice of trigrams with more ids than this share of the blocks excludes too few of them. */
const RARE_CHOICE = 0.5;

/** The plan of a literal. A shard without trigrams has no index. */
export function planText(shard: Shard, required: TextTrigrams): Plan {
  if (shard.trigrams === 0) return every;
  if ('trigrams' in required) return intersect(shard, required.trigrams);
  const lists = shard.lists(required.from, required.to);
  if (lists.length === 0) return none;
  const entries = lists.reduce((sum, { count }) => sum + count, 0);
  return entries > shard.blocks * DENSE_UNION ? every : any(lists.map(planList));
}

/** The plan of an expression. */
export function planRegex(shard: Shard, required: RequiredTrigrams): Plan {
  if (!required || shard.trigrams === 0) return every;
  if ('trigrams' in required)
    return required.trigrams.length > 0 ? intersect(shard, required.trigrams) : rarestChoice(shard, required.choices);
  return 'all' in required
    ? all(required.all.map((part) => planRegex(shard, part)))
    : any(required.any.map((part) => planRegex(shard, part)));
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
      return Math.min(...plan.parts.map((part) => estimate(part, blocks)));
    case 'any':
      return Math.min(
        blocks,
        plan.parts.reduce((sum, part) => sum + estimate(part, blocks), 0),
      );
  }
}

function intersect(shard: Shard, trigrams: readonly number[]): Plan {
  const parts: Plan[] = [];
  for (const trigram of trigrams) {
    const list = shard.list(trigram);
    if (!list) return none;
    parts.push(planList(list));
  }
  return all(parts);
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
    best = any(lists.map(planList));
  }
  return best;
}

function all(parts: readonly Plan[]): Plan {
  if (parts.some(({ kind }) => kind === 'none')) return none;
  const each = parts.flatMap((part) => (part.kind === 'all' ? part.parts : part.kind === 'every' ? [] : [part]));
  const [only] = each;
  if (each.length < 2) return only ?? every;
  return { kind: 'all', parts: each.sort((a, b) => lengthOf(a) - lengthOf(b)) };
}

const lengthOf = (plan: Plan): number => (plan.kind === 'list' ? plan.list.count : Number.MAX_SAFE_INTEGER);

function any(parts: readonly Plan[]): Plan {
  if (parts.some(({ kind }) => kind === 'every')) return every;
  const some = parts.filter(({ kind }) => kind !== 'none');
  const [only] = some;
  return some.length < 2 ? (only ?? none) : { kind: 'any', parts: some };
}
