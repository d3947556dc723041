import { ShardSet } from './shard-set.ts';
import type { SharedIndex } from './shared-index.ts';

/** What is on disk of an index. Where several processes indexed the same at once, one of them is enough. */
export async function loadShards(shared: SharedIndex, folder: string): Promise<ShardSet> {
  const all = new ShardSet(await shared.load(folder));
  const redundant = new Set(all.redundant);
  if (redundant.size === 0) return all;
  await shared.drop(folder, [...redundant]);
  return new ShardSet(all.shards.filter((shard) => !redundant.has(shard)));
}
