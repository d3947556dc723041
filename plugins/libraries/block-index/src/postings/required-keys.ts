import { FOLD, keyOf } from '../format/keys.ts';
import type { BlockNeeds } from '../format/keys.ts';
import type { ByteSet, Requirement } from '../regex/required.ts';
import { MOST_PAIRS, pairsOf } from './word-pairs.ts';

/** So many are asked for of each block. */
const MOST_NEEDS = 1024;
/** Keys that a choice may have. */
const MOST_CHOICES = 256;

/**
 * What every match of an expression contains, as keys: of adjacent bytes those of three that fold to one character each, with their pairs of words; where there are
 * none, for each three the choice of what they may be together.
 */
export type RequiredKeys =
  | (BlockNeeds & { readonly choices: readonly (readonly number[])[] })
  | { readonly all: readonly RequiredKeys[] }
  | { readonly any: readonly RequiredKeys[] }
  | undefined;

export function requiredKeys(need: Requirement): RequiredKeys {
  if (!need) return undefined;
  if ('run' in need) return keysOfRun(need.run);
  return 'all' in need ? { all: need.all.map(requiredKeys) } : { any: need.any.map(requiredKeys) };
}

function keysOfRun(run: readonly ByteSet[]): RequiredKeys {
  const places = run.map((place) => [...new Set([...place].map((byte) => FOLD[byte] ?? 0))]);
  const keys = new Set<number>();
  const choices: number[][] = [];
  for (let i = 0; i + 2 < places.length; i++) {
    const [first = [], second = [], third = []] = places.slice(i, i + 3);
    const count = first.length * second.length * third.length;
    if (count > MOST_CHOICES) continue;
    const together = first.flatMap((a) => second.flatMap((b) => third.map((c) => keyOf(a, b, c))));
    if (count > 1) choices.push(together);
    else for (const key of together) keys.add(key);
  }
  return { every: [...keys], pairs: pairsOf(run.map((place) => [...place])), choices: keys.size > 0 ? [] : choices };
}

/** What is needed in any case, whatever else there is; undefined where that is nothing. */
export function needsOf(keys: RequiredKeys): BlockNeeds | undefined {
  const parts = keys && 'all' in keys ? keys.all.map(needsOf) : [keys && 'every' in keys ? keys : undefined];
  const every = [...new Set(parts.flatMap((part) => part?.every ?? []))].slice(0, MOST_NEEDS);
  const pairs = [...new Set(parts.flatMap((part) => part?.pairs ?? []))].slice(0, MOST_PAIRS);
  return every.length > 0 ? { every, pairs } : undefined;
}
