import type { DiffSide } from '@sextant/contracts';
import type { CommitRecord } from '../git/commit-record.ts';
import { AcceptedCommits, ChangingCommits } from './commit-sinks.ts';
import { HunkCollector } from '../show/hunk-collector.ts';
import type { FoundHunk } from '../show/hunk-collector.ts';
import { searchChanges, searchCommits } from './git-search.ts';
import type { GitSearch, Reach } from './git-search.ts';

export type Found<T> = Reach & { readonly found: readonly T[] };

export interface FindOptions {
  readonly sides: readonly DiffSide[];
  /** Most results. */
  readonly most: number;
}

/** The newest of the commits that the conditions accept, by git. */
export async function findCommits(search: GitSearch, { most, sides }: FindOptions): Promise<Found<CommitRecord>> {
  const { conditions } = search;
  if (conditions.needsChanges) {
    const sink = new ChangingCommits({ conditions, sides, most });
    return { ...(await searchChanges(search, sink)), found: sink.found };
  }
  const sink = new AcceptedCommits(conditions, most);
  return { ...(await searchCommits(search, sink)), found: sink.found };
}

/** The hunks of the newest commits that have the pattern, by git. */
export async function findHunks(search: GitSearch, { most, sides }: FindOptions): Promise<Found<FoundHunk>> {
  const sink = new HunkCollector({ conditions: search.conditions, sides, most });
  const reach = await searchChanges(search, sink);
  sink.end();
  return { ...reach, found: sink.found };
}
