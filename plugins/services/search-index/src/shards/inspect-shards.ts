import { existsSync } from 'node:fs';
import type { DataFilePart, DataFileProblem } from '@sextant/core';
import { DamagedShardError, ShardFileCheck, inspectFolders } from '@sextant/library-block-index';
import { isUnusable, problemOf } from './load.ts';
import { checkTable, ShardFiles } from './shard-files.ts';

/** Compares the shards in the folders below another with their checksums. Throws where a file cannot be looked at, damaged or not. */
export function inspectShards(folder: string): Generator<DataFilePart> {
  const check = new ShardFileCheck();
  return inspectFolders(folder, (below) =>
    ShardFiles.namesIn(below).map((name) => {
      const files = new ShardFiles(below, name);
      return {
        name: `${name}.shard`,
        paths: [files.table, files.shard, files.text],
        problem: () => problemIn(files, check),
        isThere: () => existsSync(files.table),
      };
    }),
  );
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
