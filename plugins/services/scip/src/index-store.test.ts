import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@sextant/contracts/testing';
import { expect, test } from 'vitest';
import { IndexStore, fileNameOf } from './index-store.ts';

test('a folder that is removed while the server runs has no indexes, and those that come back are there', () => {
  using folder = temporaryFolder();
  const scip = join(folder.path, 'scip');
  const put = (): void => {
    mkdirSync(scip);
    writeFileSync(join(scip, fileNameOf({ repo: 'shop', commit: 'a'.repeat(40), root: '', indexer: 'i' })), '');
  };
  put();
  const store = new IndexStore(scip, 1000);
  expect(store.of('shop')).toHaveLength(1);
  rmSync(scip, { recursive: true });
  expect(store.count).toBe(0);
  put();
  expect(store.count).toBe(1);
});
