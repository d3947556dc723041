import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFilePart, DataFileProblem } from '@sextant/core';

/** A shard of an index on the disk, as `sextant doctor` looks at it. */
export interface InspectedShard {
  readonly name: string;
  readonly paths: readonly string[];
  /** Undefined where all is as its checksums say. Throws where a file cannot be looked at, damaged or not. */
  problem(): DataFileProblem | undefined;
  /** Whether the index still has it: a server merges shards meanwhile. */
  isThere(): boolean;
}

/** The shards in the folders below another, each with what is wrong with it. */
export function* inspectFolders(
  folder: string,
  shardsIn: (folder: string) => Iterable<InspectedShard>,
): Generator<DataFilePart> {
  for (const below of readdirSync(folder, { withFileTypes: true })) {
    if (!below.isDirectory()) continue;
    for (const shard of shardsIn(join(folder, below.name))) {
      const bytes = bytesOf(shard.paths);
      const problem = shard.problem();
      if (problem && !shard.isThere()) continue;
      yield { name: join(below.name, shard.name), bytes, ...(problem && { problem }) };
    }
  }
}

const bytesOf = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
