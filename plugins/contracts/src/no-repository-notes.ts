import { didYouMean } from '@sextant/core';
import type { RepositoryInfo } from './repositories.ts';

/** What a search says that is of no repository, for the pattern of its `repo:` filter if it has one; `visible` are all that the caller may read. */
export function noRepositoryNotes(pattern: string | undefined, visible: readonly RepositoryInfo[]): string[] {
  if (pattern === undefined) return visible.length === 0 ? ['There is no repository that you may read.'] : [];
  const names = visible.map(({ name }) => name);
  return [
    `No repository matches repo:${pattern}.${didYouMean(pattern, names)} list_repos shows the names you can use.`,
  ];
}
