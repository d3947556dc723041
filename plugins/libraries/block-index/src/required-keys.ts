import { FOLD, keyOf } from './keys.ts';
import type { ByteSet, Requirement } from './regex/required.ts';
import { pairsOf } from './word-pairs.ts';

/** Keys that a choice may have. */
const MOST_CHOICES = 256;

/**
 * What every match of an expression contains, as keys: of adjacent bytes those of three that fold to one character each, with their pairs of words; where there are
 * none, for each three the choice of what they may be together.
 */
export type RequiredKeys =
  | {
      readonly every: readonly number[];
      readonly pairs: readonly number[];
      readonly choices: readonly (readonly number[])[];
    }
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
