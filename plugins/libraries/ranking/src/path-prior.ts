import { pathClasses } from './path-class.ts';
import type { PathClass } from './path-class.ts';
import { classPriors, shareOfMainClass, wantedPrior } from './question-weights.ts';

/** Words that ask for files of a class besides source. */
const askedFor: readonly (readonly [RegExp, PathClass])[] = [
  [/\b(?:tests?|specs?|flaky|bench(?:mark)?s?|fuzz(?:er|ers|ing)?)\b/i, 'test'],
  [/\b(?:docs?|documentation|readme|change ?log|licen[cs]e|tutorial|guide)\b/i, 'documentation'],
  [/\b(?:examples?|samples?|demos?)\b/i, 'example'],
  [/\b(?:ya?ml|json|toml|workflows?|config(?:uration)? files?|settings|manifest)\b/i, 'configuration'],
  [/\b(?:types|interfaces?|declarations?)\b/i, 'declaration'],
];

/** The classes of files that a text asks for besides source. */
export const wantedClasses = (text: string): ReadonlySet<PathClass> =>
  new Set(askedFor.flatMap(([pattern, kind]) => (pattern.test(text) ? [kind] : [])));

/** How much of its score a file of a class keeps. */
export const priorOf = (kind: PathClass, wanted: ReadonlySet<PathClass>): number =>
  wanted.has(kind) ? Math.max(wantedPrior, classPriors[kind]) : classPriors[kind];

/** Of each class, in the order of `pathClasses`. */
export const pathPriors = (wanted: ReadonlySet<PathClass>): number[] =>
  pathClasses.map((kind) => priorOf(kind, wanted));

/** What a repository can consist of. */
const mainClasses: ReadonlySet<PathClass> = new Set(['source', 'configuration', 'documentation', 'declaration']);

/** The same for a repository whose files have these classes: what it consists of counts as source. */
export function priorsWithin(priors: readonly number[], classes: Uint8Array): readonly number[] {
  const counts = new Uint32Array(pathClasses.length);
  for (const each of classes) counts[each] = (counts[each] ?? 0) + 1;
  const all = pathClasses.reduce((sum, kind, i) => sum + (mainClasses.has(kind) ? (counts[i] ?? 0) : 0), 0);
  return priors.map((prior, i) => {
    const isMain = mainClasses.has(pathClasses[i] ?? 'generated') && (counts[i] ?? 0) >= shareOfMainClass * all;
    return isMain ? Math.max(prior, classPriors.source) : prior;
  });
}
