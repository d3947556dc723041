import { closeSync, fstatSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { ShardWriter } from './shard-writer.ts';

test('what fails to be put into place and is abandoned closes nothing that others opened since', () => {
  using folder = temporaryFolder();
  const shards = join(folder.path, 'shards');
  mkdirSync(shards);
  const writer = new ShardWriter({ folder: shards, number: 1 });
  rmSync(shards, { recursive: true });
  expect(() => writer.finish()).toThrow('ENOENT');
  // It has the number that the text of the shard had.
  const another = openSync(folder.path, 'r');
  writer.abandon();
  expect(fstatSync(another).isDirectory()).toBe(true);
  closeSync(another);
});
