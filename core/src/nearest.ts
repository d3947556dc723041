import { closest, distance } from 'fastest-levenshtein';

/** The candidate that `name` most likely meant, or undefined when none is near (a third of its length, at least 2). */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0 || name.length > 100) return undefined;
  const best = closest(name, candidates);
  return distance(name, best) <= Math.max(2, Math.floor(name.length / 3)) ? best : undefined;
}

/** ` Did you mean "x"?`, or nothing; to be put behind a sentence. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const best = nearest(name, candidates);
  return best === undefined ? '' : ` Did you mean "${best}"?`;
}
