import type { RepositoryInfo } from '@sextant/contracts';
import { SextantError, didYouMean } from '@sextant/core';
import type { HistoryPatterns } from './patterns.ts';
import type { Clause } from './wanted.ts';

export interface Picked {
  readonly names: readonly string[];
  readonly notes: readonly string[];
}

/** The repositories of a list of names that the caller may read. Throws `not_found` when there is none of them. */
export function pickNames(wanted: readonly string[], visible: readonly RepositoryInfo[]): Picked {
  const known = visible.map(({ name }) => name);
  const isKnown = new Set(known);
  const unknown = [...new Set(wanted)].filter((name) => !isKnown.has(name));
  const notes = unknown.map((name) => `repository "${clip(name)}" not found.${didYouMean(name, known)}`);
  return picked(
    known.filter((name) => wanted.includes(name)),
    notes,
  );
}

/** The repositories whose names match some expressions. Throws `not_found` when none does. */
export function pickMatching(
  expressions: readonly string[],
  visible: readonly RepositoryInfo[],
  patterns: HistoryPatterns,
): Picked {
  const known = visible.map(({ name }) => name);
  const chosen = new Set<string>();
  const notes: string[] = [];
  for (const expression of expressions) {
    const matcher = patterns.anyOf({ patterns: [expression], argument: 'repos', isRegex: true, foldCase: true });
    const matching = known.filter((name) => matcher?.test(name));
    matcher?.release();
    for (const name of matching) chosen.add(name);
    if (matching.length === 0)
      notes.push(`no repository matches "${clip(expression)}".${didYouMean(expression, known)}`);
  }
  return picked(
    known.filter((name) => chosen.has(name)),
    notes,
  );
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
  const asked = clauses.map(({ regex, isNegated }) => `${isNegated ? '-' : ''}repo:${clip(regex)}`).join(' ');
  return picked(names, names.length > 0 ? [] : [`no repository matches ${asked || 'the query'}.`]);
}

function picked(names: readonly string[], notes: readonly string[]): Picked {
  if (names.length > 0) return { names, notes };
  throw new SextantError('not_found', `${notes.slice(0, 10).join(' ')} list_repos shows the names that you can use.`);
}

const clip = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text);
