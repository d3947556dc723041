import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneRepository } from '@sextant/contracts/testing';
import { runTool } from '@sextant/core/testing';
import { todoReport } from './index.ts';

const commit = 'c'.repeat(40);
const search = {
  find: async () => ({
    files: [
      {
        path: 'a.ts',
        commit,
        matches: [
          { line: 7, text: '  // TODO: round up' },
          { line: 9, text: '// TODO: old' },
          { line: 11, text: '// TODO: from before a shallow clone' },
        ],
      },
    ],
    limitHit: false,
  }),
};
const repositories = oneRepository({
  blame: async ({ startLine: line = 0 }) => [
    {
      line,
      commit,
      title: '',
      ...(line === 11 && { isCut: true }),
      author: {
        name: 'Ada',
        email: 'ada@example.com',
        date: line === 9 ? '2019-01-02T00:00:00Z' : '2026-01-02T00:00:00Z',
      },
    },
  ],
});

test('the oldest comment comes first, with its author', async () => {
  const { text } = await runTool(todoReport, { input: { repo: 'shop' }, services: { search, repositories } });
  assert.deepEqual(text.split('\n'), [
    'undated unknown a.ts:11: // TODO: from before a shallow clone',
    '2019-01-02 Ada a.ts:9: // TODO: old',
    '2026-01-02 Ada a.ts:7: // TODO: round up',
  ]);
});
