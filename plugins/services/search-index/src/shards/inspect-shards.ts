import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFilePart, DataFileProblem } from '@sextant/core';
import { DamagedShardError, ShardFileCheck } from '@sextant/library-block-index';
import { isUnusable, problemOf } from './load.ts';
import { checkTable, ShardFiles } from './shard-files.ts';

/** Compares the shards in the folders below another with their checksums. Throws where a file cannot be looked at, damaged or not. */
export function* inspectShards(folder: string): Generator<DataFilePart> {
  const check = new ShardFileCheck();
  for (const below of readdirSync(folder, { withFileTypes: true })) {
    if (!below.isDirectory()) continue;
    for (const name of ShardFiles.namesIn(join(folder, below.name))) {
      const files = new ShardFiles(join(folder, below.name), name);
      const problem = problemIn(files, check);
      // A server merges shards meanwhile.
      if (problem && !existsSync(files.table)) continue;
      yield { name: join(below.name, `${name}.shard`), bytes: bytesOf(files), ...(problem && { problem }) };
    }
  }
}

function problemIn(files: ShardFiles, check: ShardFileCheck): DataFileProblem | undefined {
  try {
    const documents = checkTable(files.readTable());
    if (documents !== check.check(files.shard, files.text))
      throw new DamagedShardError('the table is of another shard');
    return undefined;
  } catch (error) {
    if (!isUnusable(error)) throw error;
    return problemOf(error);
  }
}

const bytesOf = ({ table, shard, text }: ShardFiles): number =>
  [table, shard, text].reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
