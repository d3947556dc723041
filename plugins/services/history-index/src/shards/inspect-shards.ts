import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@sextant/core';
import type { DataFilePart, DataFileProblem } from '@sextant/core';
import { DamagedShardError, ShardFileCheck } from '@sextant/library-block-index';
import { CommitShardFiles } from './commit-shard-files.ts';
import { CommitShardReader } from './commit-shard-reader.ts';
import { DamagedTablesError } from './commit-shard-tables.ts';
import { readManifest } from './manifest.ts';

/** Compares the shards in the folders below another with their checksums. Throws where a file cannot be looked at, damaged or not. */
export function* inspectShards(folder: string): Generator<DataFilePart> {
  const check = new ShardFileCheck();
  for (const { name: below } of readdirSync(folder, { withFileTypes: true }).filter((each) => each.isDirectory())) {
    const manifest = join(folder, below, 'manifest.json');
    if (!existsSync(manifest)) continue;
    const read = readManifest(manifest);
    if ('reason' in read) {
      yield { name: join(below, 'manifest.json'), bytes: bytesOf(filesIn(join(folder, below))), problem: read };
      continue;
    }
    for (const { name } of read.shards) {
      const files = new CommitShardFiles(join(folder, below), name);
      const bytes = bytesOf(files.paths);
      const problem = problemIn(files, check);
      if (problem && !isListed(manifest, name)) continue;
      yield { name: join(below, name), bytes, ...(problem && { problem }) };
    }
  }
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

/** A server merges shards meanwhile, and removes those that it has merged. */
function isListed(manifest: string, shard: string): boolean {
  if (!existsSync(manifest)) return false;
  const read = readManifest(manifest);
  return 'shards' in read && read.shards.some(({ name }) => name === shard);
}

const filesIn = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

const bytesOf = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0), 0);
