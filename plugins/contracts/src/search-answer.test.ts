import { expect, test } from 'vitest';
import type { FoundFile, SearchResult } from './search.ts';
import { answerOf, searchAnswerText } from './search-answer.ts';
import type { SearchAnswer } from './search-answer.ts';

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
        chunks: [
          { startLine: 3, endLine: 4, content: '3: const a = 1;\n4: use(a);' },
          { startLine: 9, endLine: 9, content: '9: a' },
        ],
      },
    ],
    matchCount: 3,
    limitHit: false,
  });
  expect(searchAnswerText(answer())).toBe('# shop – src/a.ts\n3: const a = 1;\n4: use(a);\n…\n9: a');
});

test('a revision is named as it was asked for', () => {
  const ofRevision = answer({ files: [{ ...file, revision: 'v1', chunks: [] }] });
  expect(ofRevision.blocks).toMatchObject([{ rev: 'v1', chunks: [] }]);
  expect(searchAnswerText(ofRevision)).toBe('# shop@v1 – src/a.ts');
});

test('a cut answer says so and how to get the rest', () => {
  const cut = { limitHit: true, matchCount: 99 };
  expect(searchAnswerText(answer(cut)).split('\n').at(-1)).toBe(
    '[1 of the results are shown (99 or more matches); add words, repo: or file:, or ask for more with count:N]',
  );
  const files = Array.from({ length: 16 }, () => file);
  expect(
    searchAnswerText(answer({ ...cut, files }))
      .split('\n')
      .at(-1),
  ).toBe('[16 of the results are shown (99 or more matches); add words, repo: or file:]');
});

test('nothing found in a part of what was to be searched is not said to be all there is', () => {
  const nothing = { files: [], matchCount: 0, limitHit: true };
  expect(searchAnswerText(answer(nothing))).toMatch(/^No matches\.\n\n\[Not all was searched: .* repo: or file:.*\]$/);
  const notes = ['Not searched: shop (it is damaged).'];
  expect(searchAnswerText(answer({ ...nothing, notes }))).toMatch(/\]\n\n\[Not all was searched, as said above: /);
});

test('nothing found is said, with the remarks', () => {
  const nothing = answer({ files: [], matchCount: 0, notes: ['No repository matches repo:x.'] });
  expect(nothing).toEqual({ blocks: [], matchCount: 0, limitHit: false, notes: ['No repository matches repo:x.'] });
  expect(searchAnswerText(nothing)).toBe('No matches.\n\n[No repository matches repo:x.]');
});

test('repositories are blocks without a file', () => {
  const repositories = answer({ type: 'repo', files: [{ ...file, path: '', chunks: [] }] });
  expect(repositories.blocks).toMatchObject([{ type: 'repo', repo: 'shop', file: '' }]);
  expect(searchAnswerText(repositories)).toBe('# shop');
});
