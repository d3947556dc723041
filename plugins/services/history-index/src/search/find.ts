import type { Commit, DiffRequest, FoundDiff } from '@sextant/contracts';
import { commitOf } from './answer.ts';
import { AcceptedCommits, ChangingCommits } from './commit-sinks.ts';
import { FoundHunks } from './found-hunks.ts';
import { searchChanges, searchCommits } from './repository-search.ts';
import type { Reach, RepositorySearch } from './repository-search.ts';

export type Found<T> = Reach & { readonly found: readonly T[] };

/** The newest commits of a repository that the conditions accept. */
export async function findCommits(search: RepositorySearch, most: number): Promise<Found<Commit>> {
  const { conditions, repository } = search;
  const found = conditions.needsChanges
    ? await byChanges(search, new ChangingCommits(conditions, most))
    : await byThemselves(search, new AcceptedCommits(conditions, most));
  return { ...found, found: found.found.map((record) => commitOf(repository.name, record)) };
}

const byChanges = async (
  search: RepositorySearch,
  sink: ChangingCommits,
): Promise<Found<ChangingCommits['found'][0]>> => ({
  ...(await searchChanges(search, sink)),
  found: sink.found,
});

const byThemselves = async (
  search: RepositorySearch,
  sink: AcceptedCommits,
): Promise<Found<ChangingCommits['found'][0]>> => ({
  ...(await searchCommits(search, sink)),
  found: sink.found,
});

/** The hunks of the newest commits of a repository that have the pattern; one more than is asked for, if there is. */
export async function findHunks(search: RepositorySearch, request: DiffRequest): Promise<Found<FoundDiff>> {
  const { conditions, repository } = search;
  if (!conditions.content) throw new Error('a search of diffs has a pattern');
  const sink = new FoundHunks({ content: conditions.content, sides: request.sides, most: request.count + 1 });
  const reach = await searchChanges(search, sink);
  sink.end();
  const found = sink.found.map(({ record, ...hunk }) => ({ ...commitOf(repository.name, record), ...hunk }));
  return { ...reach, found };
}
