import type { Query } from './query.ts';

/** The patterns of the `repo:` filters that say what a repository has to be. */
export function repositoryPatterns(query: Query): string[] {
  if (query.kind === 'and' || query.kind === 'or') return query.children.flatMap(repositoryPatterns);
  return query.kind === 'repo' ? [query.pattern] : [];
}

/** Whether anything is said of repositories by their names or what they are, negated or not. */
export function hasRepositoryFilter(query: Query): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.children.some(hasRepositoryFilter);
  if (query.kind === 'not') return hasRepositoryFilter(query.child);
  return query.kind === 'repo' || query.kind === 'fork' || query.kind === 'archived';
}
