import { SextantError, didYouMean, isSextantError, cut } from '@sextant/core';
import { areNames as areNamed } from '../query/of-repositories.ts';
import { repositoriesNamed } from '../query/query.ts';
import type { NamesMatching } from '../query/of-repositories.ts';
import type { RepositoryInfo } from './repositories.ts';

/** The repositories that a request about history means, and what is to be said of its names. */
export interface PickedRepositories {
  readonly names: readonly string[];
  /** Whether the request names these, and does not mean a large group, or all. */
  readonly areNamed: boolean;
  readonly notes: readonly string[];
}

export interface NamedRepositories extends PickedRepositories {
  /** An expression for each of the names and expressions that were asked for. */
  readonly expressions: readonly string[];
}

export interface RepositoryNaming {
  /** All that the caller may read. */
  readonly visible: readonly RepositoryInfo[];
  /** Throws `invalid_argument` for what is no expression. */
  readonly matching: NamesMatching;
  /** Whether the caller was asked for names: then what matches no name is told as a name. */
  readonly areNames: boolean;
}

/** The repositories of a list of names and of expressions on names. A name means just that repository. Throws `not_found` when there is none. */
export function pickNamed(
  wanted: readonly string[],
  { visible, matching, areNames }: RepositoryNaming,
): NamedRepositories {
  const known = visible.map(({ name }) => name);
  const isKnown = new Set(known);
  const chosen = new Set<string>();
  const notes: string[] = [];
  for (const each of new Set(wanted)) {
    const meant = isKnown.has(each) ? [each] : matchingNames(each, known, { matching, areNames });
    for (const name of meant) chosen.add(name);
    if (meant.length === 0)
      notes.push(
        `${areNames ? `repository "${cut(each, 100)}" not found` : `no repository matches "${cut(each, 100)}"`}.${didYouMean(each, known)}`,
      );
    else if (areNames && !isKnown.has(each) && !/[\\^$*+?()[\]{}|]/.test(each))
      notes.push(
        `"${cut(each, 100)}" is the name of no repository; ${meant.length} with it in their names were searched.`,
      );
  }
  const expressions = wanted.map((each) => (isKnown.has(each) ? repositoriesNamed([each]).pattern : each));
  const names = known.filter((name) => chosen.has(name));
  return {
    ...picked(names, notes),
    areNamed: areNamed(expressions, { left: names.length, all: known.length }),
    expressions,
  };
}

/** A name that is no expression matches nothing. */
function matchingNames(
  expression: string,
  known: readonly string[],
  { matching, areNames }: Omit<RepositoryNaming, 'visible'>,
): string[] {
  try {
    return [...matching(expression, known)];
  } catch (error) {
    if (areNames && isSextantError(error)) return [];
    throw error;
  }
}

/** An expression on names that must match, or must not. */
export interface NameClause {
  readonly regex: string;
  readonly isNegated: boolean;
}

/** The repositories whose names meet all clauses. Throws `not_found` when none does. */
export function pickWhere(
  clauses: readonly NameClause[],
  visible: readonly RepositoryInfo[],
  matching: NamesMatching,
): PickedRepositories {
  const known = visible.map(({ name }) => name);
  const decided = clauses.map(({ regex, isNegated }) => ({ isNegated, names: matching(regex, known) }));
  const names = known.filter((name) => decided.every((clause) => clause.names.has(name) !== clause.isNegated));
  const asked = clauses.map(({ regex, isNegated }) => `${isNegated ? '-' : ''}repo:${cut(regex, 100)}`).join(' ');
  const naming = clauses.flatMap(({ regex, isNegated }) => (isNegated ? [] : regex));
  const found = picked(names, names.length > 0 ? [] : [`no repository matches ${asked || 'the query'}.`]);
  return { ...found, areNamed: areNamed(naming, { left: names.length, all: known.length }) };
}

function picked(names: readonly string[], notes: readonly string[]): Omit<PickedRepositories, 'areNamed'> {
  if (names.length > 0) return { names, notes };
  throw new SextantError('not_found', `${notes.slice(0, 10).join(' ')} list_repos shows the names that you can use.`);
}
