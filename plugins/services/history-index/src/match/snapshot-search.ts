import type { CommitRecord, Identity } from '../git/commit-record.ts';
import { HunkCollector } from '../show/hunk-collector.ts';
import type { FoundHunk } from '../show/hunk-collector.ts';
import { recordOfShard } from '../shards/commit-of-shard.ts';
import { replay } from '../shards/patch-text.ts';
import type { CommitShardReader } from '../shards/commit-shard-reader.ts';
import type { Reach } from '../snapshot/commit-graph.ts';
import type { Newest } from './newest.ts';
import type { PlacedShard, HistorySnapshot } from '../snapshot/history-snapshot.ts';
import { CommitShardSearch } from './shard-search.ts';
import type { FoundCommit, ShardQuery } from './shard-search.ts';

export interface SnapshotQuery extends ShardQuery {
  readonly reach: Reach;
  /** Most results. */
  readonly most: number;
}

/** Searches the shards of a view one after the other, the newest first, until no other can have anything newer. */
export class SnapshotSearch {
  readonly #view: HistorySnapshot;
  readonly #query: SnapshotQuery;

  constructor(view: HistorySnapshot, query: SnapshotQuery) {
    this.#view = view;
    this.#query = query;
  }

  /** Adds the newest commits that are wanted; what was found until then when the checkpoint ends it. */
  commits(into: Newest<CommitRecord>): void {
    this.#eachShard(into, (shard, commits) => {
      const records: CommitRecord[] = [];
      try {
        for (const { commit } of commits) {
          if (records.push(recordOf(shard.reader, commit, this.#query.mapped)) === this.#query.most) break;
        }
      } finally {
        into.add(records);
      }
    });
  }

  /** Adds the hunks of the newest commits that are wanted. */
  hunks(into: Newest<FoundHunk>): void {
    const { conditions, sides, most, mapped } = this.#query;
    this.#eachShard(into, ({ reader }, commits) => {
      const sink = new HunkCollector({ conditions, sides, most });
      try {
        for (const { commit, paths } of commits) {
          const numbers = reader.pathNumbers(commit);
          sink.commit(recordOf(reader, commit, mapped));
          const isWanted = (path: number): boolean => paths?.has(numbers[path] ?? -1) ?? true;
          replay(reader.patch(commit), { paths: reader.paths(commit), isWanted }, sink);
          if (sink.isDone) break;
        }
      } finally {
        sink.end();
        into.add(sink.found);
      }
    });
  }

  #eachShard(
    into: { readonly least: number },
    search: (shard: PlacedShard, commits: Generator<FoundCommit>) => void,
  ): void {
    const { reach } = this.#query;
    for (const shard of this.#view.shards) {
      if (into.least >= shard.newest) return;
      const reached = reach.marks.subarray(shard.base, shard.base + shard.reader.commits);
      search(shard, new CommitShardSearch(shard.reader, this.#query).commits(reached));
    }
  }
}

function recordOf(reader: CommitShardReader, commit: number, mapped: (identity: Identity) => Identity): CommitRecord {
  const record = recordOfShard(reader, commit);
  return { ...record, mapped: mapped(record.author) };
}
