import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { inspectShards } from './inspect-shards.ts';
import { ShardFiles } from './shard-files.ts';

test('a shard that is damaged is told; one that cannot be looked at is not taken for damaged', () => {
  using folder = temporaryFolder();
  const own = join(folder.path, 'repository');
  mkdirSync(own);
  const { table, shard, text } = new ShardFiles(own, '1');
  for (const path of [table, shard, text]) writeFileSync(path, 'not a shard');
  const look = (): unknown => [...inspectShards(folder.path)];
  expect(look()).toMatchObject([{ name: 'repository/1.shard', problem: { isOfOtherVersion: false } }]);
  rmSync(table);
  mkdirSync(table);
  expect(look).toThrow(/^EISDIR/);
});
