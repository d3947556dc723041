import { repositoriesNamed } from '@sextant/contracts';
import type { RepositoryInfo } from '@sextant/contracts';
import { SextantError, didYouMean, isSextantError, cut } from '@sextant/core';
import type { HistoryPatterns } from './patterns.ts';
import type { Clause } from './wanted.ts';

export interface Picked {
  readonly names: readonly string[];
  readonly notes: readonly string[];
}

export interface Named extends Picked {
  /** An expression for each of the names and expressions that were asked for. */
  readonly expressions: readonly string[];
}

export interface Naming {
  readonly visible: readonly RepositoryInfo[];
  readonly patterns: HistoryPatterns;
  /** Whether the caller was asked for names: then what matches no name is told as a name. */
  readonly areNames: boolean;
}

/** The repositories of a list of names and of expressions on names. A name means just that repository. Throws `not_found` when there is none. */
export function pickNamed(wanted: readonly string[], { visible, patterns, areNames }: Naming): Named {
  const known = visible.map(({ name }) => name);
  const isKnown = new Set(known);
  const chosen = new Set<string>();
  const notes: string[] = [];
  for (const each of new Set(wanted)) {
    const matching = isKnown.has(each) ? [each] : matchingNames(each, known, { patterns, areNames });
    for (const name of matching) chosen.add(name);
    if (matching.length === 0)
      notes.push(
        `${areNames ? `repository "${cut(each, 100)}" not found` : `no repository matches "${cut(each, 100)}"`}.${didYouMean(each, known)}`,
      );
    else if (areNames && !isKnown.has(each) && !/[\\^$*+?()[\]{}|]/.test(each))
      notes.push(
        `"${cut(each, 100)}" is the name of no repository; ${matching.length} with it in their names were searched.`,
      );
  }
  const expressions = wanted.map((each) => (isKnown.has(each) ? repositoriesNamed([each]).pattern : each));
  const names = known.filter((name) => chosen.has(name));
  return { ...picked(names, notes), expressions };
}

/** A name that is no expression matches nothing. */
function matchingNames(
  expression: string,
  known: readonly string[],
  { patterns, areNames }: Omit<Naming, 'visible'>,
): string[] {
  const list = { patterns: [expression], argument: 'repos', isRegex: true, foldCase: true };
  try {
    return patterns.select(known, (name) => name, list);
  } catch (error) {
    if (areNames && isSextantError(error)) return [];
    throw error;
  }
}

/** The repositories whose names meet all clauses. Throws `not_found` when none does. */
export function pickWhere(
  clauses: readonly Clause[],
  visible: readonly RepositoryInfo[],
  patterns: HistoryPatterns,
): Picked {
  const matchers = clauses.map((clause) => ({ isNegated: clause.isNegated, matcher: patterns.matcher(clause) }));
  const known = visible.map(({ name }) => name);
  const names = known.filter((name) => matchers.every(({ matcher, isNegated }) => matcher.test(name) !== isNegated));
  for (const { matcher } of matchers) matcher.release();
  const asked = clauses.map(({ regex, isNegated }) => `${isNegated ? '-' : ''}repo:${cut(regex, 100)}`).join(' ');
  return picked(names, names.length > 0 ? [] : [`no repository matches ${asked || 'the query'}.`]);
}

function picked(names: readonly string[], notes: readonly string[]): Picked {
  if (names.length > 0) return { names, notes };
  throw new SextantError('not_found', `${notes.slice(0, 10).join(' ')} list_repos shows the names that you can use.`);
}
