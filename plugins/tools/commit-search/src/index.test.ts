import { parseQuery } from '@sextant/contracts';
import type { FoundCommit, HistoryResult } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { commitSearch } from './index.ts';

const commit: FoundCommit = {
  repo: 'shop',
  commit: 'a'.repeat(40),
  author: { name: 'Ada', email: 'ada@example.com' },
  date: '2026-01-02T03:04:05Z',
  authorDate: '2026-01-02T03:04:05Z',
  title: 'fix the cart',
  message: 'fix the cart\n\nIt lost items.\n\nRefs: 12',
  files: { paths: ['src/cart.ts', 'test/cart.ts'], total: 2 },
};
const found: HistoryResult<FoundCommit> = {
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
        authorDate: '2026-01-02T03:04:05Z',
        title: 'fix the cart',
        message: 'fix the cart\n\nIt lost items.\n\nRefs: 12',
        files: ['src/cart.ts', 'test/cart.ts'],
      },
    ],
  });
  expect(text).toBe(
    'shop aaaaaaaaaaaa committed 2026-01-02 Ada <ada@example.com>: fix the cart\n    It lost items.\n\n    Refs: 12\n    files: src/cart.ts, test/cart.ts',
  );
});

test('no filter at all lists the history', async () => {
  await run();
  const nothing = { messages: [], authors: [], contents: [], paths: [], revisions: [] };
  expect(commits).toHaveBeenLastCalledWith(
    expect.anything(),
    { repositories: ['shop'], ...nothing, order: 'newest', count: 50, isRegex: false },
    expect.any(AbortSignal),
  );
});

test('every filter is passed on', async () => {
  const filters = { authors: ['ada'], revisions: ['v1'], after: 'yesterday', before: 'now', order: 'oldest', count: 3 };
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
  expect(structured).toMatchObject({
    limitHit: true,
    totalCount: 2,
    atLeast: true,
    notes: ['repository "x" not found.'],
  });
  expect(text.split('\n').slice(-2)).toEqual([
    '[repository "x" not found.]',
    '[the first 1 of at least 2; narrow the dates or terms, or raise count]',
  ]);
});

test('what was not searched is said alone where all that was found is shown', async () => {
  commits.mockResolvedValueOnce({ ...found, isLimited: true, totalCount: 1, notes: ['shop is damaged.'] });
  expect((await run()).text.split('\n').at(-1)).toBe('[shop is damaged.]');
});

test('a commit whose files git cannot list says so', async () => {
  const { files: _, ...unread } = commit;
  commits.mockResolvedValueOnce({ ...found, results: [unread] });
  const { structured, text } = await run();
  const note = 'Commits without "files" have some that git could not list: shop is damaged or a partial clone.';
  expect(structured['notes']).toEqual([note]);
  expect(text.split('\n').slice(-2)).toEqual(['    files: unknown, git could not list them', `[${note}]`]);
});

test('long messages and long lists of files are shortened, and dates that differ are both told', async () => {
  const paths = Array.from({ length: 100 }, (_, index) => `src/folder/file-${index}.ts`);
  const long = { ...commit, message: `fix\n\n${'word '.repeat(1000)}`, title: 'fix', files: { paths, total: 345 } };
  commits.mockResolvedValueOnce({ ...found, results: [{ ...long, authorDate: '2025-12-31T23:00:00Z' }] });
  const { structured, text } = await run();
  const [first] = structured['commits'] as { message: string; files: string[] }[];
  expect(first).toMatchObject({ files: paths.slice(0, 20), moreFiles: 325, authorDate: '2025-12-31T23:00:00Z' });
  expect(first?.message.length).toBe(2000);
  const [heading = '', body = '', files = ''] = text.split('\n');
  expect(heading).toBe('shop aaaaaaaaaaaa committed 2026-01-02 authored 2025-12-31 Ada <ada@example.com>: fix');
  expect(body).toMatch(/^ {4}word .*…$/);
  expect(body.length).toBe(604);
  commits.mockResolvedValueOnce({ ...found, results: Array.from({ length: 11 }, () => long) });
  const many = await run();
  expect((many.structured['commits'] as { message: string }[])[0]).toMatchObject({
    files: paths.slice(0, 3),
    moreFiles: 342,
    message: expect.stringMatching(/^.{198,200}$/s),
  });
  const list = many.text.split('\n').slice(-11);
  expect(list[0]).toBe('More, with the day of the commit:');
  expect(list[1]).toBe('aaaaaaaaaa 2026-01-02 Ada: fix');
  expect(list.at(-1)).toBe('[messages and files are shown of 10 commits at most]');
  expect(files).toMatch(/^ {4}files: src\/folder\/file-0\.ts, .* and 335 more$/);
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
