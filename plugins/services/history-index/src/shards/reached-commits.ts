import { commitOfShard } from './commit-of-shard.ts';
import type { IndexedCommit } from './indexed-commit.ts';
import type { CommitShardReader } from './commit-shard-reader.ts';
import { CommitGraph } from '../snapshot/commit-graph.ts';

export interface ReachedPart {
  /** Number of the shard. */
  readonly shard: number;
  readonly commits: Iterable<IndexedCommit>;
}

/** What the tips reach of the shards that have something else, too; nothing while not all that they reach is known. */
export function reachedCommits(readers: readonly CommitShardReader[], tips: readonly string[]): ReachedPart[] {
  const graph = new CommitGraph(readers.map(({ tables }) => tables));
  const { marks, missing } = graph.reach({ include: tips, exclude: [] });
  if (missing.length > 0) return [];
  let base = 0;
  return readers.flatMap((reader, shard) => {
    const reached = marks.subarray(base, base + reader.commits);
    base += reader.commits;
    return reached.every((mark) => mark === 1) ? [] : [{ shard, commits: commitsOf(reader, reached) }];
  });
}

function* commitsOf(reader: CommitShardReader, reached: Uint8Array): Generator<IndexedCommit> {
  for (let commit = 0; commit < reader.commits; commit++)
    if (reached[commit] === 1) yield commitOfShard(reader, commit);
}
