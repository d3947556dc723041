import { hasRepositoryFilter, noRepositoryNotes, repositoryPatterns } from '@sextant/contracts';
import type { Query, RepositoryInfo } from '@sextant/contracts';
import type { Patterns } from '../match/patterns.ts';

/** What to say where a query is true of no repository; `visible` are all that the caller may read. */
export function noRepositoryNote(query: Query, visible: readonly RepositoryInfo[], patterns: Patterns): string[] {
  const names = visible.map(({ name }) => name);
  const unmatched = repositoryPatterns(query).find((pattern) => patterns.matching(pattern, names).size === 0);
  return noRepositoryNotes({ unmatched, areGiven: hasRepositoryFilter(query) }, visible);
}
