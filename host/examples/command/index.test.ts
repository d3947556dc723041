import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { Repositories } from '@sextant/contracts';
import { Principals, definePlugin } from '@sextant/core';
import { callerOf, startPlugins } from '@sextant/core/testing';
import { oneRepository } from '@sextant/contracts/testing';
import plugin from './index.ts';

const services = definePlugin({
  name: 'service-sample',
  provides: { principals: Principals, repositories: Repositories },
  start: async () => ({
    principals: { value: { named: async (name) => (name === 'alice' ? callerOf('alice') : undefined) } },
    repositories: { value: oneRepository({}) },
  }),
});

test('the command prints what the user may read', async () => {
  const started = await startPlugins(tmpdir(), [[services], [plugin]]);
  assert.equal(await started.run('repository-access', { user: 'alice' }), 'shop');
  await assert.rejects(started.run('repository-access', { user: 'bob' }), /there is no user "bob"/);
  await started[Symbol.asyncDispose]();
});
