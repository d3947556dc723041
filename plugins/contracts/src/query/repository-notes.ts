import { SextantError, didYouMean, escapeRegExp } from '@sextant/core';
import type { RepositoryInfo } from '../code/repositories.ts';
import { evaluate, leavesOf } from './algebra.ts';
import { hostFacts, isRepositoryFilter, isTrueOf, matcherOf, repositoryFilters } from './of-repositories.ts';
import type { NamesMatching } from './of-repositories.ts';
import type { Query } from './query.ts';

export interface ReducedQuery {
  readonly query: Query;
  /** All repositories that the caller may read. */
  readonly visible: readonly RepositoryInfo[];
  readonly matching: NamesMatching;
  /** What `forRepositories` made of it. */
  readonly reduced: ReadonlyMap<string, Query>;
}

/**
 * Why a query is about no repository, and of which ones a filter cannot be decided. Throws `invalid_argument` for a filter
 * that can be decided of none.
 */
export function repositoryNotes({ query, visible, matching, reduced }: ReducedQuery): string[] {
  const undecided = hostFacts.flatMap((fact) => undecidedNotes(fact, { query, visible, matching }));
  return [...undecided, ...(reduced.size === 0 ? noRepositoryNotes(query, visible, matching) : [])];
}

/** Repositories that a note names. */
const mostTold = 3;

function undecidedNotes(
  { kind, name }: (typeof hostFacts)[number],
  { query, visible, matching }: Omit<ReducedQuery, 'reduced'>,
): string[] {
  const lacking = visible.filter((info) => info[kind] === undefined);
  if (lacking.length === 0 || !leavesOf(query).some(({ leaf }) => leaf.kind === kind)) return [];
  if (lacking.length === visible.length)
    throw new SextantError(
      'invalid_argument',
      `${kind}: cannot be decided: of no repository that you may read a code host tells the ${name}; leave it out`,
    );
  const matches = matcherOf(lacking, matching);
  const isOpen = (info: RepositoryInfo): boolean =>
    leavesOf(
      evaluate(query, (leaf) =>
        isRepositoryFilter(leaf) && leaf.kind !== kind ? isTrueOf(leaf, info, matches) : undefined,
      ),
    ).some(({ leaf }) => leaf.kind === kind);
  const open = lacking.filter(isOpen).map((info) => info.name);
  if (open.length === 0) return [];
  const rest = open.length > mostTold ? ` and ${open.length - mostTold} more` : '';
  return [
    `No code host tells the ${name} of ${open.slice(0, mostTold).join(', ')}${rest}: ${kind}: was taken as false there.`,
  ];
}

function noRepositoryNotes(query: Query, visible: readonly RepositoryInfo[], matching: NamesMatching): string[] {
  const names = visible.map(({ name }) => name);
  const filters = repositoryFilters(query);
  const unmatched = filters
    .flatMap(({ filter, isNegated }) => (filter.kind === 'repo' && !isNegated ? filter.pattern : []))
    .find((pattern) => matching(pattern, names).size === 0);
  if (unmatched !== undefined) {
    const meant = names.includes(unmatched)
      ? ` It is a regular expression; write repo:${escapeRegExp(unmatched)} for the name.`
      : didYouMean(unmatched, names);
    return [`No repository matches repo:${unmatched}.${meant} list_repos shows the names you can use.`];
  }
  if (visible.length === 0) return ['There is no repository that you may read.'];
  return filters.length > 0
    ? [
        'No repository that you may read fulfils all filters on repositories (repo:, fork:, archived:, visibility:, stars:, pushed:) at once.',
      ]
    : [];
}
