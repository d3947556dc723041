import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { startPlugins } from '@sextant/core/testing';
import plugin, { WordMeanings } from './index.ts';

test('a word of the configuration is explained, in any case', async () => {
  const started = await startPlugins(tmpdir(), [[plugin, { words: { Cart: 'What one buys.' } }]]);
  const { wordMeanings } = started.services.resolve({ wordMeanings: WordMeanings });
  assert.equal(await wordMeanings.explain('CART'), 'What one buys.');
  await assert.rejects(wordMeanings.explain('crat'), { code: 'not_found' });
  await started[Symbol.asyncDispose]();
});
