import { didYouMean } from '@sextant/core';
import type { RepositoryInfo } from './repositories.ts';

export interface RepositoryFilters {
  /** The pattern of a `repo:` filter that no name matches, if there is one. */
  readonly unmatched: string | undefined;
  /** Whether there are any: `repo:`, `fork:`, `archived:`, negated or not. */
  readonly areGiven: boolean;
}

/** What a search says that is of no repository; `visible` are all that the caller may read. */
export function noRepositoryNotes(
  { unmatched, areGiven }: RepositoryFilters,
  visible: readonly RepositoryInfo[],
): string[] {
  if (unmatched !== undefined) {
    const near = didYouMean(
      unmatched,
      visible.map(({ name }) => name),
    );
    return [`No repository matches repo:${unmatched}.${near} list_repos shows the names you can use.`];
  }
  if (visible.length === 0) return ['There is no repository that you may read.'];
  return areGiven
    ? ['No repository that you may read fulfils all filters on repositories (repo:, fork:, archived:) at once.']
    : [];
}
