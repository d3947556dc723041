import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { Credits } from '@sextant/contracts';
import { callerOf, startPlugins } from '@sextant/core/testing';
import plugin from './index.ts';

test('any number of credits can be reserved', async () => {
  const started = await startPlugins(tmpdir(), [[plugin]]);
  const { credits } = started.services.resolve({ credits: Credits });
  const hold = await credits.reserve({ caller: callerOf('alice') }, { tool: 'deepsearch', credits: 1e9 });
  await hold.settle();
  assert.deepEqual(await credits.buckets(callerOf('alice'), { startDate: '2026-01-01', endDate: '2026-12-31' }), []);
  await started[Symbol.asyncDispose]();
});
