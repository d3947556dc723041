import { closest, distance } from 'fastest-levenshtein';
import { oneLine } from './visible.ts';

/** Shorter names are part of too many others. */
const shortestPart = 3;

/**
 * The candidate that `name` most likely meant, in any case, or undefined. `name` may be written as an expression
 * (`^acme/shop$`). A `v` before a number does not count (`v5.0.0`). The first rule that finds one wins:
 * - the shortest that begins with it
 * - one that is a letter away
 * - the shortest that contains it (`shop` of `git.example.com/acme/shop`)
 * - the shortest with the same last part (`git.example.com/acme/shop` for `shop`)
 * - the nearest, at most a third of its length away (at least 2)
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0 || name.length > 100) return undefined;
  const wanted = withoutV(withoutSigns(name.toLowerCase()));
  const lower = candidates.map((candidate) => withoutV(candidate.toLowerCase()));
  const best = closest(wanted, lower);
  const away = distance(wanted, best);
  const isPart = wanted.length >= shortestPart;
  const begun = isPart ? shortest(lower.filter((candidate) => candidate.startsWith(wanted))) : undefined;
  const whole = isPart && away > 1 ? shortest(lower.filter((candidate) => candidate.includes(wanted))) : undefined;
  const last = lastPart(wanted);
  const sameEnd =
    away > 1 ? shortest(lower.filter((candidate) => last !== '' && lastPart(candidate) === last)) : undefined;
  const isNear = away <= Math.max(2, Math.floor(wanted.length / 3));
  const meant = begun ?? whole ?? sameEnd ?? (isNear ? best : undefined);
  return meant === undefined ? undefined : candidates[lower.indexOf(meant)];
}

/** The text that an expression looks for, if it is a single text. */
const withoutSigns = (expression: string): string => expression.replaceAll(/^\^|\$$|\\(?=\W)/g, '');

const withoutV = (name: string): string => name.replace(/^v(?=\d)/, '');

const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1);

const shortest = (candidates: readonly string[]): string | undefined =>
  candidates.toSorted((a, b) => a.length - b.length)[0];

/** ` Did you mean "x"?`, or nothing; to be put behind a sentence. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const best = nearest(name, candidates);
  return best === undefined ? '' : ` Did you mean "${oneLine(best)}"?`;
}
