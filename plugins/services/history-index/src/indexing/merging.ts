import type { ShardEntry } from '../shards/manifest.ts';

/** A shard is merged into its neighbour while that is less than so many times as large. */
const factor = 4;
/** Bytes of changed lines and messages. */
const mostBytes = 128 << 20;

/** Names of two shards that should be one: neighbours in time, of which neither is much larger; none when all is well. */
export function shardsToMerge(shards: readonly ShardEntry[]): readonly string[] {
  const sorted = shards.toSorted((a, b) => b.newest - a.newest);
  for (const [index, newer] of sorted.entries()) {
    const older = sorted[index + 1];
    if (!older || newer.bytes + older.bytes > mostBytes) continue;
    const [small, large] = [newer.bytes, older.bytes].toSorted((a, b) => a - b);
    if ((small ?? 0) * factor > (large ?? 0)) return [newer.name, older.name];
  }
  return [];
}
