import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@sextant/core';
import type { DataFilePart, DataFileProblem } from '@sextant/core';
import { DamagedShardError, ShardFileCheck, inspectFolders } from '@sextant/library-block-index';
import type { InspectedShard } from '@sextant/library-block-index';
import { CommitShardFiles } from './commit-shard-files.ts';
import { CommitShardReader } from './commit-shard-reader.ts';
import { DamagedTablesError } from './commit-shard-tables.ts';
import { readManifest } from './manifest.ts';

/** Compares the shards in the folders below another with their checksums. Throws where a file cannot be looked at, damaged or not. */
export function inspectShards(folder: string): Generator<DataFilePart> {
  const check = new ShardFileCheck();
  return inspectFolders(folder, (below) => shardsIn(below, check));
}

function shardsIn(folder: string, check: ShardFileCheck): InspectedShard[] {
  const manifest = join(folder, 'manifest.json');
  if (!existsSync(manifest)) return [];
  const read = readManifest(manifest);
  if ('reason' in read) {
    const paths = readdirSync(folder).map((name) => join(folder, name));
    return [{ name: 'manifest.json', paths, problem: () => read, isThere: () => true }];
  }
  return read.shards.map(({ name }) => {
    const files = new CommitShardFiles(folder, name);
    return {
      name,
      paths: files.paths,
      problem: () => problemIn(files, check),
      isThere: () => isListed(manifest, name),
    };
  });
}

function problemIn(files: CommitShardFiles, check: ShardFileCheck): DataFileProblem | undefined {
  try {
    check.check(files.path('lines'), files.path('lines-text'));
    check.check(files.path('messages'), files.path('messages-text'));
    const reader = new CommitShardReader(files);
    try {
      for (let commit = 0; commit < reader.commits; commit++) reader.patch(commit);
    } finally {
      reader.close();
    }
    return undefined;
  } catch (error) {
    if (!isUnusable(error)) throw error;
    return { isOfOtherVersion: false, reason: messageOf(error) };
  }
}

const isUnusable = (error: unknown): boolean =>
  error instanceof DamagedShardError ||
  error instanceof DamagedTablesError ||
  (error instanceof Error && 'code' in error && error.code === 'ENOENT');

function isListed(manifest: string, shard: string): boolean {
  if (!existsSync(manifest)) return false;
  const read = readManifest(manifest);
  return 'shards' in read && read.shards.some(({ name }) => name === shard);
}
