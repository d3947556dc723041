import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { folderOf, removeOtherIndexes } from './indexer.ts';

test('indexes of repositories that are no longer configured are removed, and nothing else', () => {
  using folder = temporaryFolder();
  const pathOf = (name: string): string => join(folder.path, name);
  for (const each of [folderOf('acme/shop'), folderOf('acme/lib'), 'notes']) {
    mkdirSync(pathOf(each));
    writeFileSync(join(pathOf(each), '1.shard'), 'text');
  }
  removeOtherIndexes(folder.path, ['acme/shop', 'acme/new']);
  expect([folderOf('acme/shop'), folderOf('acme/lib'), 'notes'].map((each) => existsSync(pathOf(each)))).toEqual([
    true,
    false,
    true,
  ]);
});

test('where nothing is indexed yet there is nothing to remove', () => {
  using folder = temporaryFolder();
  expect(() => removeOtherIndexes(join(folder.path, 'missing'), [])).not.toThrow();
});
