import type { Commit, DiffSide, FoundDiff } from '@sextant/contracts';
import { commitOf } from './answer.ts';
import { AcceptedCommits, ChangingCommits } from './commit-sinks.ts';
import { FoundHunks } from './found-hunks.ts';
import { searchChanges, searchCommits } from './repository-search.ts';
import type { Reach, RepositorySearch } from './repository-search.ts';

export type Found<T> = Reach & { readonly found: readonly T[] };

export interface FindOptions {
  readonly sides: readonly DiffSide[];
  /** Most results. */
  readonly most: number;
}

/** The newest commits of a repository that the conditions accept. */
export async function findCommits(search: RepositorySearch, { most, sides }: FindOptions): Promise<Found<Commit>> {
  const { conditions, repository } = search;
  const found = conditions.needsChanges
    ? await byChanges(search, new ChangingCommits({ conditions, sides, most }))
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

/** The hunks of the newest commits of a repository that have the pattern. */
export async function findHunks(search: RepositorySearch, { most, sides }: FindOptions): Promise<Found<FoundDiff>> {
  const { conditions, repository } = search;
  const sink = new FoundHunks({ conditions, sides, most });
  const reach = await searchChanges(search, sink);
  sink.end();
  const found = sink.found.map(({ record, ...hunk }) => ({ ...commitOf(repository.name, record), ...hunk }));
  return { ...reach, found };
}
