import { didYouMean } from '@sextant/core';
import type { RepositoryInfo } from '@sextant/contracts';
import type { Query } from '@sextant/library-query';

/** What to say where a query is true of no repository; `visible` are all that the caller may read. */
export function noRepositoryNote(query: Query, visible: readonly RepositoryInfo[]): string[] {
  const [pattern] = repositoryPatterns(query);
  if (pattern === undefined) return visible.length === 0 ? ['There is no repository that you may read.'] : [];
  const near = didYouMean(
    pattern,
    visible.map(({ name }) => name),
  );
  return [`No repository matches repo:${pattern}.${near} list_repos shows the names you can use.`];
}

function repositoryPatterns(query: Query): string[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(repositoryPatterns);
  return query.kind === 'repo' ? [query.pattern] : [];
}
