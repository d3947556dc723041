import { didYouMean } from '@sextant/core';
import type { StoredRepository } from './git-store.ts';

/** Most names among which a suggestion is looked for. */
const mostNames = 20_000;

/** The names of branches and tags of some repositories. One whose refs cannot be read has none. */
export async function refNamesIn(
  repositories: readonly Pick<StoredRepository, 'refs'>[],
  signal: AbortSignal,
): Promise<{ branches: string[]; tags: string[] }> {
  const read = await Promise.allSettled(repositories.map((repository) => repository.refs(signal)));
  const refs = read.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const below = (place: string): string[] =>
    refs.flatMap(({ name }) => (name.startsWith(place) ? [name.slice(place.length)] : []));
  return { branches: below('refs/heads/'), tags: below('refs/tags/') };
}

/** What exists in some repositories in place of a revision that they lack: sentences for the caller. */
export async function existingRevisions(
  revision: string,
  repositories: readonly Pick<StoredRepository, 'refs' | 'defaultBranch'>[],
  signal: AbortSignal,
): Promise<string> {
  const { branches, tags } = await refNamesIn(repositories, signal);
  const [only, ...others] = repositories;
  // Several repositories may have several.
  const branch = others.length === 0 ? only?.defaultBranch() : undefined;
  const named = branch ? ` The default branch is "${branch}".` : '';
  return `list_refs shows the branches and tags.${named}${didYouMean(revision, [...branches, ...tags].slice(0, mostNames))}`;
}
