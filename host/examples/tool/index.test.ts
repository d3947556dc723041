import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runTool } from '@sextant/core/testing';
import { fileLength } from './index.ts';

/** One repository with one file of two lines. */
const repositories = {
  open: async () => ({
    resolve: async () => 'c'.repeat(40),
    readText: async () => ({ text: 'one\nthree\n', lineStarts: [0, 4] }),
  }),
};

test('a file is measured', async () => {
  const input = { repo: 'shop', path: 'a.txt' };
  const { structured, text } = await runTool(fileLength, { input, services: { repositories } });
  assert.deepEqual(structured, { lines: 2, characters: 10, longestLine: 6 });
  assert.equal(text, '2 lines, 10 characters, the longest line has 6');
});
