import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { CommitShardFiles } from './commit-shard-files.ts';
import { inspectShards } from './inspect-shards.ts';
import { Manifest } from './manifest.ts';

test('a shard that is damaged or gone is told; one that cannot be looked at is not taken for damaged', () => {
  using folder = temporaryFolder();
  const own = join(folder.path, 'repository');
  const shards = [{ name: 'first', commits: 1, bytes: 1, newest: 0 }];
  new Manifest(own).replace({ shards, heads: [], left: [], shallow: '' });
  const lines = new CommitShardFiles(own, 'first').path('lines');
  const look = (): unknown => [...inspectShards(folder.path)];
  const found = (reason: unknown): object => [
    { name: 'repository/first', problem: { isOfOtherVersion: false, reason } },
  ];
  expect(look()).toMatchObject(found(expect.stringMatching(/^ENOENT/)));
  writeFileSync(lines, 'not a shard');
  expect(look()).toMatchObject(found(expect.not.stringMatching(/^E[A-Z]+:/)));
  rmSync(lines);
  mkdirSync(lines);
  expect(look).toThrow(/^EISDIR/);
});
