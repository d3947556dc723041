import { parseQuery, queryOf } from '@sextant/contracts';
import type { Commit, FoundHistory, History } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { keywordSearch } from './index.ts';

const commit: Commit = {
  repo: 'shop',
  commit: 'a'.repeat(40),
  author: { name: 'Ada', email: 'ada@example.com' },
  date: '2026-01-02T03:04:05Z',
  authorDate: '2026-01-02T03:04:05Z',
  title: 'fix the cart',
  message: 'fix the cart\n\nIt lost items.',
};
const counts = { query: queryOf([]), totalCount: 1, isLimited: false, notes: [] };
const find = vi.fn<History['find']>();
const links = { commit: (repo: string, hash: string): string => `link/${repo}/${hash.slice(0, 3)}` };

const run = (found: FoundHistory, query = 'type:commit cart'): Promise<ToolAnswer> => {
  find.mockResolvedValueOnce(found);
  return runTool(keywordSearch, { input: { query }, services: { history: { find }, links } });
};

test('commits are blocks with the hash as rev and the message as lines', async () => {
  const { structured, text } = await run({ type: 'commit', results: [commit], ...counts });
  expect(find).toHaveBeenLastCalledWith(
    expect.anything(),
    { ...parseQuery('type:commit cart'), limit: 15 },
    expect.any(AbortSignal),
  );
  expect(structured).toEqual({
    blocks: [
      {
        type: 'commit',
        repo: 'shop',
        file: '',
        rev: 'a'.repeat(40),
        url: 'link/shop/aaa',
        author: 'Ada <ada@example.com>',
        date: '2026-01-02T03:04:05Z',
        title: 'fix the cart',
        chunks: [{ startLine: 1, endLine: 3, content: '1: fix the cart\n2: \n3: It lost items.' }],
      },
    ],
    matchCount: 1,
    limitHit: false,
  });
  expect(text).toBe('# shop aaaaaaaaaaaa 2026-01-02 Ada <ada@example.com>: fix the cart\n2: \n3: It lost items.');
});

test('hunks are blocks of their file, under one heading per commit for a model', async () => {
  const diff = { ...commit, path: 'src/cart.ts', hunk: '@@ -1 +1,2 @@\n-lose()\n+keep()\n+a', matchRanges: [] };
  const results = [diff, { ...diff, path: 'b.ts' }];
  const { structured, text } = await run({
    type: 'diff',
    ...counts,
    results,
    isLimited: true,
    totalCount: 3,
    notes: ['slow.'],
  });
  expect(structured['blocks']).toMatchObject([
    { type: 'diff', file: 'src/cart.ts', chunks: [{ startLine: 1, endLine: 2, content: diff.hunk }] },
    { type: 'diff', file: 'b.ts' },
  ]);
  expect(text).toBe(`# shop aaaaaaaaaaaa 2026-01-02 Ada <ada@example.com>: fix the cart
## src/cart.ts
${diff.hunk}
## b.ts
${diff.hunk}

[slow.]

[the newest 2 of at least 3; add author:, after: or before:, or ask for more with count:N]`);
});

test('a long hunk is cut to a chunk of 1024 characters that has the match', async () => {
  const lines = Array.from({ length: 100 }, (_, index) => `+line ${index} ${'x'.repeat(60)}`);
  const hunk = ['@@ -0,0 +1,100 @@', ...lines].join('\n');
  const matchRanges = [{ line: 52, start: 1, end: 5 }];
  const { structured } = await run({
    type: 'diff',
    ...counts,
    results: [{ ...commit, path: 'a', hunk, matchRanges }],
  });
  const [{ chunks }] = structured['blocks'] as [{ chunks: [{ content: string }] }];
  expect(chunks[0].content).toContain('+line 50 ');
  expect(chunks[0].content.length).toBeLessThan(1100);
});

test('without a service for history, a query for commits is left to the search, which says what it can do', async () => {
  const search = { find: vi.fn().mockRejectedValue(new Error('type:commit needs a service')) };
  await expect(
    runTool(keywordSearch, { input: { query: 'type:commit a' }, services: { search, links } }),
  ).rejects.toThrow();
  expect(search.find).toHaveBeenCalledOnce();
});
