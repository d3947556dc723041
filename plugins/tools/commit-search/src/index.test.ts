import { parseQuery } from '@sextant/contracts';
import type { Commit, HistoryResult } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { commitSearch } from './index.ts';

const commit: Commit = {
  repo: 'shop',
  commit: 'a'.repeat(40),
  author: { name: 'Ada', email: 'ada@example.com' },
  date: '2026-01-02T03:04:05Z',
  title: 'fix the cart',
  message: 'fix the cart\n\nIt lost items.\n\nRefs: 12',
};
const found: HistoryResult<Commit> = {
  query: parseQuery('type:commit'),
  results: [commit],
  totalCount: 1,
  isLimited: false,
  notes: [],
};

const commits = vi.fn(async () => found);
const run = (input: object = {}): Promise<ToolAnswer> =>
  runTool(commitSearch, { input: { repos: ['shop'], ...input }, services: { history: { commits } } });

test('commits arrive as they are, and short for a model', async () => {
  const { structured, text } = await run();
  expect(structured).toEqual({
    query: 'type:commit',
    totalCount: 1,
    limitHit: false,
    commits: [
      {
        repository: 'shop',
        commit: 'a'.repeat(40),
        author: 'Ada <ada@example.com>',
        date: '2026-01-02T03:04:05Z',
        title: 'fix the cart',
        message: 'fix the cart\n\nIt lost items.\n\nRefs: 12',
      },
    ],
  });
  expect(text).toBe(
    'shop aaaaaaaaaaaa 2026-01-02 Ada <ada@example.com>: fix the cart\n    It lost items.\n\n    Refs: 12',
  );
});

test('no filter at all lists the history', async () => {
  await run();
  const nothing = { messages: [], authors: [], contents: [], paths: [], revisions: [] };
  expect(commits).toHaveBeenLastCalledWith(
    expect.anything(),
    { repositories: ['shop'], ...nothing, count: 50, isRegex: false },
    expect.any(AbortSignal),
  );
});

test('every filter is passed on', async () => {
  const filters = { authors: ['ada'], revisions: ['v1'], after: 'yesterday', before: 'now', count: 3 };
  await run({ ...filters, messageTerms: ['m'], contentTerms: ['c'], files: ['*.ts'], useRegex: true });
  expect(commits).toHaveBeenLastCalledWith(
    expect.anything(),
    { ...filters, repositories: ['shop'], messages: ['m'], contents: ['c'], paths: ['*.ts'], isRegex: true },
    expect.any(AbortSignal),
  );
});

test('a cut answer says so and how to get the rest; notes are shown', async () => {
  commits.mockResolvedValueOnce({ ...found, isLimited: true, totalCount: 2, notes: ['repository "x" not found.'] });
  const { structured, text } = await run();
  expect(structured).toMatchObject({ limitHit: true, totalCount: 2, notes: ['repository "x" not found.'] });
  expect(text.split('\n').slice(-2)).toEqual([
    '[repository "x" not found.]',
    '[the newest 1 of 2 or more; narrow the dates or terms, or raise count]',
  ]);
});

test.each([
  [{ count: 0 }, /^Argument "count": must be at least 1, got 0/],
  [{ count: 101 }, /^Argument "count": must be at most 100, got 101/],
  [{ repos: [] }, /^Argument "repos": must be at least 1 value, got 0/],
  [{ authors: [''] }, /^Argument "authors": must be at most 100 values of 1 to 1000 characters each/],
  [
    { messageTerms: Array.from({ length: 1000 }, String) },
    /^Argument "messageTerms": must be at most 100 values of 1 to 1000 characters each/,
  ],
])('%j is refused', async (input, message) => {
  await expect(run(input)).rejects.toThrow(message);
});
