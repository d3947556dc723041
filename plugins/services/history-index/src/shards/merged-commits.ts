import { commitOfShard } from './commit-of-shard.ts';
import type { IndexedCommit } from './indexed-commit.ts';
import type { CommitShardReader } from './commit-shard-reader.ts';

/** The commits of shards as one list, newest first; what stands in several comes once. */
export function* mergedCommits(readers: readonly CommitShardReader[]): Generator<IndexedCommit> {
  const seen = new Set<string>();
  const next = readers.map(() => 0);
  for (;;) {
    const reader = newestOf(readers, next);
    if (reader < 0) return;
    const shard = readers[reader];
    const commit = next[reader] ?? 0;
    next[reader] = commit + 1;
    const hash = shard?.hash(commit) ?? '';
    if (!shard || seen.has(hash)) continue;
    seen.add(hash);
    yield commitOfShard(shard, commit);
  }
}

/** The shard whose next commit is the newest; -1 when all are at their end. */
function newestOf(readers: readonly CommitShardReader[], next: readonly number[]): number {
  let best = -1;
  let time = -Infinity;
  readers.forEach(({ tables }, index) => {
    const candidate = tables.times[next[index] ?? 0];
    if (candidate === undefined || candidate <= time) return;
    time = candidate;
    best = index;
  });
  return best;
}
