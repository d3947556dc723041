import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLogger } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { branchCount } from './index.ts';

const repositories = {
  list: async () => [{ name: 'shop', defaultBranch: 'main' }],
  open: async () => ({ listRefs: async () => ({ refs: [{ name: 'main' }, { name: 'topic' }] }) }),
};
const { signal } = new AbortController();
const call = { caller: callerOf('alice'), endpoint: '', signal, log: silentLogger, reportProgress() {} };

test('each repository has a row, those with fewer branches than asked for have none', async () => {
  const rowsOf = async (atLeast: number): Promise<unknown[]> => {
    const found = [];
    for await (const rows of branchCount.rows({ atLeast }, { repositories }, call)) found.push(...rows);
    return found;
  };
  assert.deepEqual(await rowsOf(2), [['shop', 'main', 2]]);
  assert.deepEqual(await rowsOf(3), []);
});
