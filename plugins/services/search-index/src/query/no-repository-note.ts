import { noRepositoryNotes } from '@sextant/contracts';
import type { RepositoryInfo } from '@sextant/contracts';
import type { Query } from '@sextant/library-query';

/** What to say where a query is true of no repository; `visible` are all that the caller may read. */
export function noRepositoryNote(query: Query, visible: readonly RepositoryInfo[]): string[] {
  const [pattern] = repositoryPatterns(query);
  return noRepositoryNotes(pattern, visible);
}

/** The patterns of the `repo:` filters that say what a repository has to be. */
function repositoryPatterns(query: Query): string[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(repositoryPatterns);
  return query.kind === 'repo' ? [query.pattern] : [];
}
