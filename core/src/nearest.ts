import { closest, distance } from 'fastest-levenshtein';

/** Shorter names are part of too many others. */
const shortestPart = 3;

/**
 * The candidate that `name` most likely meant, in any case, or undefined: one that is a letter away, else the shortest that has it as a
 * part (`shop` of `git.example.com/acme/shop`), else the one that is near (a third of its length, at least 2).
 */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0 || name.length > 100) return undefined;
  const wanted = name.toLowerCase();
  const lower = candidates.map((candidate) => candidate.toLowerCase());
  const best = closest(wanted, lower);
  const away = distance(wanted, best);
  const whole = away > 1 && wanted.length >= shortestPart ? shortestWith(wanted, lower) : undefined;
  const isNear = away <= Math.max(2, Math.floor(name.length / 3));
  const meant = whole ?? (isNear ? best : undefined);
  return meant === undefined ? undefined : candidates[lower.indexOf(meant)];
}

const shortestWith = (part: string, candidates: readonly string[]): string | undefined =>
  candidates.filter((candidate) => candidate.includes(part)).sort((a, b) => a.length - b.length)[0];

/** ` Did you mean "x"?`, or nothing; to be put behind a sentence. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const best = nearest(name, candidates);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}
