import { forRepositories, leavesOf, namesRepositories, repositoryNotes, withHostFacts } from '@sextant/contracts';
import type { NamesMatching, ParsedQuery, Query, RepositoryInfo } from '@sextant/contracts';
import type { Patterns } from '@sextant/library-block-index';

interface Asked<Q> {
  /** What is left of the query in each repository that it can be about. */
  readonly reduced: ReadonlyMap<string, Query>;
  /** What the nodes are asked. They know only the repositories that they are asked about: what concerns others is decided here. */
  readonly request: Q;
}

export function askedOfNodes<Q extends ParsedQuery & { readonly isNamed?: boolean }>(
  given: Q,
  visible: readonly RepositoryInfo[],
  patterns: Patterns,
): Asked<Q> {
  const { query } = given;
  for (const { leaf } of leavesOf(query)) if ('pattern' in leaf) patterns.check(leaf.pattern, { foldCase: true });
  const matching: NamesMatching = (pattern, names) => patterns.matching(pattern, names);
  const reduced = forRepositories(query, visible, matching);
  const notes = [...given.notes, ...repositoryNotes({ query, visible, matching, reduced })];
  const among = visible.filter(({ name }) => reduced.has(name));
  const { isNamed = namesRepositories(query, { left: reduced.size, all: visible.length }) } = given;
  return { reduced, request: { ...given, query: withHostFacts(query, among), notes, isNamed } };
}
