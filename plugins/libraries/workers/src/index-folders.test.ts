import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { indexFolderOf, removeOtherIndexes } from './index-folders.ts';

const folder = mkdtempSync(join(tmpdir(), 'sextant-folders-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('indexes of repositories that are no longer configured are removed, and nothing else', () => {
  const pathOf = (name: string): string => join(folder, name);
  for (const each of [indexFolderOf('acme/shop'), indexFolderOf('acme/lib'), 'notes']) {
    mkdirSync(pathOf(each));
    writeFileSync(join(pathOf(each), '1.shard'), 'text');
  }
  removeOtherIndexes(folder, ['acme/shop', 'acme/new']);
  expect(
    [indexFolderOf('acme/shop'), indexFolderOf('acme/lib'), 'notes'].map((each) => existsSync(pathOf(each))),
  ).toEqual([true, false, true]);
});

test('where nothing is indexed yet there is nothing to remove', () => {
  expect(() => removeOtherIndexes(join(folder, 'missing'), [])).not.toThrow();
});
