import { callerOf } from '@sextant/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { parseQuery } from '../query/parse.ts';
import type { FoundFile, Search, SearchResult } from './search.ts';
import { answerOf, findToShow, searchAnswerText } from './search-answer.ts';
import type { SearchAnswer } from './search-answer.ts';

const file: FoundFile = {
  repo: 'shop',
  path: 'src/a.ts',
  commit: 'c'.repeat(40),
  chunks: [
    { startLine: 3, endLine: 4, lines: ['const a = 1;', 'use(a);'] },
    { startLine: 9, endLine: 9, lines: ['a'] },
  ],
  matches: [3, 4, 9].map((line) => ({ line, text: 'a', ranges: [[0, 1]] })),
  matchCount: 3,
};
const withMore: FoundFile = { ...file, matchCount: 86 };
const links = {
  commit: (): string => 'commit',
  file: ({ repo, path, startLine }: { repo: string; path: string; startLine?: number }): string =>
    `${repo}/${path}?L${startLine}`,
};
const answer = (result: Partial<SearchResult> = {}): SearchAnswer =>
  answerOf({ type: 'file', files: [file], matchCount: 3, fileCount: 1, limitHit: false, notes: [], ...result }, links);

test('blocks hold numbered lines, and a link to the best of them', () => {
  expect(answer()).toEqual({
    blocks: [
      {
        type: 'file',
        repo: 'shop',
        file: 'src/a.ts',
        url: 'shop/src/a.ts?L3',
        matchCount: 3,
        matchesShown: 3,
        chunks: [
          { startLine: 3, endLine: 4, content: '3: const a = 1;\n4: use(a);' },
          { startLine: 9, endLine: 9, content: '9: a' },
        ],
      },
    ],
    matchCount: 3,
    fileCount: 1,
    limitHit: false,
  });
  expect(searchAnswerText(answer())).toBe('# shop – src/a.ts (3 matches)\n3: const a = 1;\n4: use(a);\n…\n9: a');
});

test('a revision is named as it was asked for', () => {
  const ofRevision = answer({ files: [{ ...file, revision: 'v1', chunks: [], matches: [], matchCount: 0 }] });
  expect(ofRevision.blocks).toMatchObject([{ rev: 'v1', chunks: [] }]);
  expect(searchAnswerText(ofRevision)).toBe('# shop@v1 – src/a.ts');
});

const lastLine = (result: Partial<SearchResult>): string | undefined =>
  searchAnswerText(answer(result)).split('\n').at(-1);

test('files that are not shown are counted, with how to get them', () => {
  const cut = { limitHit: true, matchCount: 99, fileCount: 40 };
  expect(lastLine(cut)).toBe(
    '[3 of at least 99 matches in 1 of at least 40 files shown; narrow it with words, repo: or file:, or ask for more with count:N or count:all]',
  );
  const files = Array.from({ length: 16 }, () => file);
  expect(lastLine({ ...cut, files })).toBe(
    '[48 of at least 99 matches in 16 of at least 40 files shown; for the rest, search one repository, folder or file at a time with repo: and file:]',
  );
});

test('lines of a file that are not shown are counted in its heading, and the answer is not complete', () => {
  const result = { files: [withMore, file], matchCount: 89, fileCount: 2 };
  expect(answer(result)).toMatchObject({ limitHit: true, blocks: [{ matchCount: 86, matchesShown: 3 }, {}] });
  const text = searchAnswerText(answer(result));
  expect(text).toMatch(/^# shop – src\/a\.ts \(3 of 86 matches\)\n/);
  expect(text).toMatch(
    /\n\n\[6 of 89 matches in 2 files shown; narrow it with words, repo: or file:; count:all shows all that fits\]$/,
  );
  expect(lastLine({ files: [withMore], matchCount: 86 })).toBe(
    '[3 of 86 matches in 1 file shown; read_file shows the rest of the file]',
  );
});

test('what was not searched makes an answer incomplete, and is said once', () => {
  const reasons = ['Not searched: shop (it is damaged).', 'Searched by name only, as too large: a.md.'];
  const result = { notSearched: { files: 1, reasons }, notes: reasons.slice(0, 1) };
  expect(answer(result)).toMatchObject({ limitHit: true, notSearched: { files: 1, reasons } });
  expect(searchAnswerText(answer(result)).split('\n\n').slice(1)).toEqual(reasons.map((reason) => `[${reason}]`));
});

describe('a search for a tool', () => {
  const find = vi.fn<Search['find']>();
  const call = { caller: callerOf('alice'), signal: new AbortController().signal };
  const found = (files: readonly FoundFile[]): SearchResult => ({
    type: 'file',
    files,
    matchCount: 86,
    fileCount: files.length,
    limitHit: false,
    notes: [],
  });
  const ask = async (files: readonly FoundFile[], query = 'a'): Promise<number | undefined> => {
    find.mockReset();
    find.mockResolvedValue(found(files));
    await findToShow({ find }, { ...parseQuery(query), mode: 'keyword' }, call);
    return find.mock.calls[1]?.[1].limits.chunksPerFile;
  };

  test('shows more of a file that is left alone', async () => {
    expect(await ask([withMore])).toBe(10_000);
    expect(await ask([file])).toBeUndefined();
    expect(await ask([withMore, file])).toBeUndefined();
    expect(await ask([withMore], 'a count:1')).toBeUndefined();
  });
});

test('nothing found in a part of what was to be searched is not said to be all there is', () => {
  const nothing = { files: [], matchCount: 0, fileCount: 0, limitHit: true };
  expect(searchAnswerText(answer(nothing))).toMatch(/^No matches\.\n\n\[Not all was searched: .* repo: or file:.*\]$/);
  const notes = ['Not searched: shop (it is damaged).'];
  expect(searchAnswerText(answer({ ...nothing, notes }))).toMatch(/\]\n\n\[Not all was searched, as said above: /);
});

test('nothing found is said, with the remarks', () => {
  const nothing = answer({ files: [], matchCount: 0, fileCount: 0, notes: ['No repository matches repo:x.'] });
  expect(nothing).toEqual({
    blocks: [],
    matchCount: 0,
    fileCount: 0,
    limitHit: false,
    notes: ['No repository matches repo:x.'],
  });
  expect(searchAnswerText(nothing)).toBe('No matches.\n\n[No repository matches repo:x.]');
});

test('repositories are blocks without a file', () => {
  const repositories = answer({ type: 'repo', files: [{ ...file, path: '', chunks: [] }] });
  expect(repositories.blocks).toMatchObject([{ type: 'repo', repo: 'shop', file: '' }]);
  expect(searchAnswerText(repositories)).toBe('# shop');
});
