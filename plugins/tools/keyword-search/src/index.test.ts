import type { FoundFile, Search, SearchResult } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { keywordSearch } from './index.ts';

const file: FoundFile = {
  repo: 'shop',
  path: 'src/a.ts',
  commit: 'c'.repeat(40),
  chunks: [
    { startLine: 3, endLine: 4, lines: ['const a = 1;', 'use(a);'] },
    { startLine: 9, endLine: 9, lines: ['a'] },
  ],
  matches: [],
  matchCount: 3,
};
const found = (result: Partial<SearchResult> = {}): SearchResult => ({
  type: 'file',
  files: [file],
  matchCount: 3,
  fileCount: 1,
  limitHit: false,
  notes: [],
  ...result,
});

const find = vi.fn<Search['find']>();
function search(result: SearchResult): Promise<ToolAnswer> {
  find.mockResolvedValue(result);
  const links = {
    file: ({ repo, path, startLine }: { repo: string; path: string; startLine?: number }) =>
      `${repo}/${path}?L${startLine}`,
  };
  return runTool(keywordSearch, { input: { query: 'a' }, services: { search: { find }, links } });
}

test('blocks hold numbered lines, and a link to the best of them', async () => {
  const { structured, text } = await search(found());
  expect(structured).toEqual({
    blocks: [
      {
        type: 'file',
        repo: 'shop',
        file: 'src/a.ts',
        url: 'shop/src/a.ts?L3',
        chunks: [
          { startLine: 3, endLine: 4, content: '3: const a = 1;\n4: use(a);' },
          { startLine: 9, endLine: 9, content: '9: a' },
        ],
      },
    ],
    matchCount: 3,
    limitHit: false,
  });
  expect(text).toBe('# shop – src/a.ts\n3: const a = 1;\n4: use(a);\n…\n9: a');
});

test('at most 15 files × 3 chunks × 1024 characters, lines cut at 256, are asked for', async () => {
  await search(found());
  const limits = { files: 15, chunksPerFile: 3, chunkCharacters: 1024, lineCharacters: 256 };
  expect(find).toHaveBeenLastCalledWith(
    expect.anything(),
    { query: 'a', mode: 'keyword', limits },
    expect.any(AbortSignal),
  );
});

test('a revision is named as it was asked for', async () => {
  const { structured, text } = await search(found({ files: [{ ...file, revision: 'v1', chunks: [] }] }));
  expect(structured['blocks']).toMatchObject([{ rev: 'v1', chunks: [] }]);
  expect(text).toBe('# shop@v1 – src/a.ts');
});

test('a cut answer says so and how to get the rest', async () => {
  const { text } = await search(found({ limitHit: true, matchCount: 99 }));
  expect(text).toContain('99 or more matches');
  expect(text).toContain('count:N');
});

test('nothing found is said, with the remarks', async () => {
  const { structured, text } = await search(
    found({ files: [], matchCount: 0, notes: ['No repository matches repo:x.'] }),
  );
  expect(structured).toEqual({ blocks: [], matchCount: 0, limitHit: false, notes: ['No repository matches repo:x.'] });
  expect(text).toBe('No matches.\n\n[No repository matches repo:x.]');
});

test('repositories are blocks without a file', async () => {
  const { structured, text } = await search(found({ type: 'repo', files: [{ ...file, path: '', chunks: [] }] }));
  expect(structured['blocks']).toMatchObject([{ type: 'repo', repo: 'shop', file: '' }]);
  expect(text).toBe('# shop');
});
