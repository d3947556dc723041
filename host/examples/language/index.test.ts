import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Language } from '@sextant/contracts';
import plugin from './index.ts';

test('the language claims its files, and its grammar is there', () => {
  const [language] = plugin.contributions.map(({ value }) => value as Language);
  assert.ok(language);
  assert.deepEqual(language.extensions, ['.ini']);
  assert.ok(existsSync(fileURLToPath(language.grammar)));
});
