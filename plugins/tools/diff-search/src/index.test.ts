import { parseQuery } from '@sextant/contracts';
import type { FoundDiff, HistoryResult } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { diffSearch } from './index.ts';

const hunk: FoundDiff = {
  repo: 'shop',
  commit: 'a'.repeat(40),
  author: { name: 'Ada', email: 'ada@example.com' },
  date: '2026-01-02T03:04:05Z',
  authorDate: '2026-01-02T03:04:05Z',
  title: 'fix the cart',
  message: 'fix the cart\n\nIt lost items.',
  path: 'src/cart.ts',
  hunk: '@@ -1 +1 @@\n-lose()\n+keep()',
  matchRanges: [{ line: 3, start: 1, end: 5 }],
};
const found: HistoryResult<FoundDiff> = {
  query: parseQuery('type:diff'),
  results: [hunk, { ...hunk, path: 'src/b.ts' }],
  totalCount: 2,
  isLimited: false,
  notes: [],
};

const diffs = vi.fn(async () => found);
const links = { commit: (repo: string, hash: string): string => `link/${repo}/${hash.slice(0, 3)}` };
const run = (input: object = {}): Promise<ToolAnswer> =>
  runTool(diffSearch, { input: { pattern: 'keep', repos: ['.'], ...input }, services: { history: { diffs }, links } });

test('hunks arrive as they are, under one heading per commit for a model', async () => {
  const { structured, text } = await run();
  expect(structured).toMatchObject({ query: 'type:diff', totalCount: 2, limitHit: false });
  expect(structured['results']).toEqual(
    ['src/cart.ts', 'src/b.ts'].map((path) => ({
      repository: 'shop',
      commit: 'a'.repeat(40),
      authorName: 'Ada',
      date: '2026-01-02T03:04:05Z',
      authorDate: '2026-01-02T03:04:05Z',
      message: 'fix the cart\n\nIt lost items.',
      path,
      diffHunk: '@@ -1 +1 @@\n-lose()\n+keep()',
      url: 'link/shop/aaa',
      matchRanges: [{ line: 3, start: 1, end: 5 }],
    })),
  );
  expect(text).toBe(`# shop aaaaaaaaaaaa committed 2026-01-02 Ada: fix the cart
## src/cart.ts
@@ -1 +1 @@
-lose()
+keep()
## src/b.ts
@@ -1 +1 @@
-lose()
+keep()`);
});

test.each([
  [{}, ['added', 'removed']],
  [{ added: true }, ['added']],
  [{ removed: true }, ['removed']],
  [{ added: true, removed: true }, ['added', 'removed']],
])('%j looks at %j lines', async (flags, sides) => {
  await run(flags);
  expect(diffs).toHaveBeenLastCalledWith(
    expect.anything(),
    expect.objectContaining({ sides }),
    expect.any(AbortSignal),
  );
});

test('every filter is passed on', async () => {
  const filters = { authors: ['ada'], revisions: ['v1'], after: 'yesterday', before: 'now', order: 'oldest', count: 3 };
  await run({ ...filters, useRegex: true });
  const sides = ['added', 'removed'];
  expect(diffs).toHaveBeenLastCalledWith(
    expect.anything(),
    { ...filters, repositories: ['.'], pattern: 'keep', sides, isRegex: true },
    expect.any(AbortSignal),
  );
});

test('a cut answer says so and how to get the rest; notes are shown', async () => {
  diffs.mockResolvedValueOnce({ ...found, isLimited: true, totalCount: 3, notes: ['slow.'] });
  const { structured, text } = await run();
  expect(structured).toMatchObject({ limitHit: true, atLeast: true, notes: ['slow.'] });
  expect(text.split('\n').slice(-2)).toEqual([
    '[slow.]',
    '[the first 2 of at least 3 hunks; narrow the dates, authors or pattern, or raise count]',
  ]);
});

test.each([
  [{ count: 51 }, /^Argument "count": must be at most 50, got 51/],
  [{ pattern: '' }, /^Argument "pattern": must be at least 1 character, got 0/],
  [{ repos: [] }, /^Argument "repos": must be at least 1 value, got 0/],
])('%j is refused', async (input, message) => {
  await expect(run(input)).rejects.toThrow(message);
});

test('of a long hunk the text has the lines around the matches, the structured answer all', async () => {
  const lines = ['@@ -1,40 +1,41 @@ f()', ...Array.from({ length: 40 }, (_, index) => ` line ${index + 2}`)];
  const long = {
    ...hunk,
    hunk: lines.join('\n'),
    matchRanges: [20, 22, 35].map((line) => ({ line, start: 1, end: 2 })),
  };
  diffs.mockResolvedValueOnce({ ...found, results: [long] });
  const { structured, text } = await run();
  expect(structured['results']).toMatchObject([{ diffHunk: long.hunk }]);
  const shown = (from: number, to: number): string[] => lines.slice(from - 1, to);
  expect(text.split('\n').slice(2)).toEqual([...shown(1, 1), '…', ...shown(17, 25), '…', ...shown(32, 38), '…']);
});

test('of more hunks than five all but the first are shown by their matching lines', async () => {
  const matchRanges = [2, 3].map((line) => ({ line, start: 1, end: 5 }));
  const results = Array.from({ length: 6 }, (_, index) => ({
    ...hunk,
    path: `src/${Math.min(index, 4)}.ts`,
    matchRanges,
  }));
  diffs.mockResolvedValueOnce({ ...found, results });
  const { text } = await run();
  const lines = ['-lose()', '+keep()'];
  expect(text.split('\n').slice(5)).toEqual([
    '## src/1.ts',
    ...lines,
    '## src/2.ts',
    ...lines,
    '## src/3.ts',
    ...lines,
    '## src/4.ts',
    ...lines,
    ...lines,
    '[hunks are shown with the lines around where count is 5 or less]',
  ]);
});

test('of more hunks than five the structured answer has the lines from the first match on', async () => {
  const lines = ['@@ -1,40 +1,41 @@ f()', ...Array.from({ length: 40 }, (_, index) => ` line ${index + 2}`)];
  const long = {
    ...hunk,
    hunk: lines.join('\n'),
    matchRanges: [20, 22, 35].map((line) => ({ line, start: 1, end: 2 })),
  };
  diffs.mockResolvedValueOnce({ ...found, results: Array.from({ length: 6 }, () => long) });
  const { structured, text } = await run();
  const [first] = structured['results'] as { diffHunk: string; matchRanges: { line: number }[] }[];
  const shown = first?.diffHunk.split('\n') ?? [];
  expect(shown).toEqual([lines[0], '…', ...lines.slice(16, 26), '…']);
  expect(first?.matchRanges.map(({ line }) => shown[line - 1])).toEqual([' line 20', ' line 22']);
  expect(text.split('\n').slice(-4, -1)).toEqual([' line 20', ' line 22', '…']);
});
