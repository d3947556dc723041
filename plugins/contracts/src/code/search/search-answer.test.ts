import { callerOf } from '@sextant/core/testing';
import { describe, expect, test, vi } from 'vitest';
import { parseQuery } from '../../query/parse.ts';
import type { FoundFile, Search, SearchResult } from './search.ts';
import { answerFor, answerOf } from './search-answer.ts';
import { searchAnswerText } from './search-answer-text.ts';
import { findToShow } from './shown-files.ts';
import type { SearchAnswer } from './search-answer.ts';
import type { OutlineEntry, Symbols } from '../symbols/symbols.ts';

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
const asking = { ...parseQuery('a'), mode: 'keyword' } as const;
const answer = (result: Partial<SearchResult> = {}): SearchAnswer =>
  answerOf(
    { type: 'file', files: [file], matchCount: 3, fileCount: 1, limitHit: false, notes: [], ...result },
    { asked: asking, links },
  );

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
  expect(searchAnswerText(ofRevision)).toBe('# shop@v1 – files\nsrc/a.ts');
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
  const limitsOf = async (query: string, mode: 'keyword' | 'natural' = 'keyword') => {
    find.mockReset();
    find.mockResolvedValue(found([file]));
    await findToShow({ find }, { ...parseQuery(query), mode }, call);
    expect(find).toHaveBeenCalledOnce();
    return find.mock.lastCall?.[1].limits;
  };

  test('asks once, for all of a file that is left alone and of few matches of a keyword', async () => {
    expect(await limitsOf('a')).toMatchObject({ chunksPerFile: 3, chunkCharacters: 512, linesShownWhole: 30 });
    expect(await limitsOf('a count:1')).not.toHaveProperty('linesShownWhole');
    expect(await limitsOf('a', 'natural')).not.toHaveProperty('linesShownWhole');
    expect(await limitsOf('a count:all')).toMatchObject({ chunkCharacters: 1024, characters: 48_000 });
  });

  const lines = Array.from({ length: 5 }, (_, index) => 10 * index + 1);
  const five: FoundFile = {
    ...file,
    chunks: lines.map((line) => ({ startLine: line, endLine: line, lines: ['a'] })),
    matches: lines.map((line) => ({ line, text: 'a', ranges: [[0, 1]] })),
    matchCount: 5,
  };
  const shownOf = async (result: Partial<SearchResult>): Promise<unknown> => {
    find.mockReset();
    find.mockResolvedValue({ ...found([five]), ...result });
    const { blocks } = await answerFor({ find }, asking, { ...call, links, symbols: undefined });
    return blocks.map(({ matchesShown }) => matchesShown);
  };

  test('shows all of these, and no more of others than usual', async () => {
    expect(await shownOf({})).toEqual([5]);
    const files = Array.from({ length: 7 }, () => five);
    expect(await shownOf({ files, fileCount: 7, matchCount: 30 })).toEqual(files.map(() => 5));
    expect(await shownOf({ files, fileCount: 7, matchCount: 35 })).toEqual([3, 2, 2, 2, 2, 1, 1]);
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

describe('of many files', () => {
  const lines = ['', '/** A use of a. */', `  ${'x'.repeat(300)} a();`, '}'];
  const chunkAt = (startLine: number) => ({ startLine, endLine: startLine + 3, lines });
  const matchesAt = (line: number): FoundFile['matches'] => [
    { line: line + 1, text: '/** A use of a. */', ranges: [[13, 14]] },
    { line: line + 2, text: `  ${'x'.repeat(300)} a();`, ranges: [[303, 304]] },
  ];
  const starts = [1, 11, 21];
  const many: FoundFile = { ...file, chunks: starts.map(chunkAt), matches: starts.flatMap(matchesAt), matchCount: 9 };
  const files = Array.from({ length: 7 }, (_, index) => ({ ...many, path: `${index}.ts` }));
  const asked = { type: 'file', files, matchCount: 63, fileCount: 7, limitHit: false, notes: [] } as const;
  const of = (options: Partial<Parameters<typeof answerOf>[1]>): SearchAnswer =>
    answerOf(asked, { asked: asking, links, ...options });

  test('the best five have lines around their matches, the others their best line', () => {
    const { blocks, limitHit } = of({});
    expect(blocks.map(({ chunks, matchesShown }) => [chunks.length, matchesShown])).toEqual([
      [3, 6],
      ...Array.from({ length: 4 }, () => [2, 4]),
      [1, 1],
      [1, 1],
    ]);
    expect(limitHit).toBe(true);
    const best = `…${'x'.repeat(155)} a();`;
    expect(blocks[5]?.chunks).toEqual([{ startLine: 3, endLine: 3, content: `3: ${best}` }]);
    const text = searchAnswerText({ ...of({}), blocks });
    expect(text).toContain(`\n\n# shop – more files\n5.ts:3 (1 of 9): ${best}\n6.ts:3 (1 of 9): ${best}\n\n[`);
    expect(text).toMatch(/\[24 of 63 matches in 7 files shown; .*count:all shows all that fits\]$/);
  });

  test('where count: asks for more than usual, all have all that was found', () => {
    const chunksWith = (count: number): number[] =>
      of({ asked: { ...parseQuery(`a count:${count}`), mode: 'keyword' } }).blocks.map(({ chunks }) => chunks.length);
    expect(chunksWith(16)).toEqual(Array.from({ length: 7 }, () => 3));
    expect(chunksWith(7)).toEqual([3, 2, 2, 2, 2, 1, 1]);
  });

  test('of a question fewer lines are shown, and less of long ones', () => {
    const { blocks } = of({ asked: { ...asking, mode: 'natural' } });
    expect(blocks.map(({ chunks }) => chunks.length)).toEqual([3, 1, 1, 1, 1, 1, 1]);
    expect(blocks[5]?.chunks[0]?.content).toHaveLength('3: …'.length + 100);
  });

  test('few matches of a keyword are all shown, of a question one line', () => {
    const few = { ...file, matches: matchesAt(1), chunks: [chunkAt(1)], matchCount: 2 };
    const shown = (mode: 'keyword' | 'natural'): unknown =>
      answerOf(
        { ...asked, files: [...files.slice(0, 5), few] },
        { asked: { ...asking, mode }, links },
      ).blocks[5]?.chunks.map(({ startLine }) => startLine);
    expect(shown('keyword')).toEqual([2, 3]);
    expect(shown('natural')).toEqual([3]);
  });

  test('a file that only its path matches is named', () => {
    const named = { ...file, path: 'a/b.ts', chunks: [], matches: [], matchCount: 0 };
    const text = searchAnswerText(
      answerOf({ ...asked, files: [...files.slice(0, 5), named] }, { asked: asking, links }),
    );
    expect(text).toContain('\n\n# shop – more files\na/b.ts\n\n[');
  });
});

describe('chunks name the definition that they stand in', () => {
  const entry = (name: string, line: number, endLine: number): OutlineEntry => ({
    name,
    line,
    endLine,
    kind: 'function',
    signature: '',
  });
  const within = (outline: readonly OutlineEntry[], chunks = file.chunks): unknown[] =>
    answerOf(
      { type: 'file', files: [{ ...file, chunks }], matchCount: 3, fileCount: 1, limitHit: false, notes: [] },
      { asked: asking, links, outlines: [outline] },
    ).blocks[0]?.chunks.map((chunk) => chunk.within) ?? [];

  test('the innermost, with its lines', () => {
    expect(within([entry('outer', 1, 30), { ...entry('inner', 2, 8), container: 'Outer' }])).toEqual([
      'Outer.inner (2-8)',
      'outer (1-30)',
    ]);
  });

  test('or the one that begins there; none that is shown whole', () => {
    expect(within([entry('next', 4, 7)])).toEqual(['next (4-7)', undefined]);
    expect(within([entry('small', 9, 10)])).toEqual([undefined, undefined]);
    const chunk = { startLine: 3, endLine: 5, lines: ['f() {', 'a', '}'] };
    expect(within([entry('whole', 3, 5)], [chunk])).toEqual([undefined]);
  });

  test('the text says it once for chunks of one definition', () => {
    const [block] = answer().blocks;
    if (!block) throw new Error('no block');
    const chunks = block.chunks.map((chunk) => ({ ...chunk, within: 'f (1-30)' }));
    expect(searchAnswerText({ ...answer(), blocks: [{ ...block, chunks }] })).toBe(
      '# shop – src/a.ts (3 matches)\nin f (1-30)\n3: const a = 1;\n4: use(a);\n…\n9: a',
    );
  });

  test.each<[string, Symbols['outline']]>([
    ['fails', () => Promise.reject(new Error('no'))],
    [
      'takes too long',
      (_caller, _file, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('late')))),
    ],
  ])('a file is shown without its definitions where telling them %s', async (_, outline) => {
    const find = vi.fn<Search['find']>();
    find.mockResolvedValue({ type: 'file', files: [file], matchCount: 3, fileCount: 1, limitHit: false, notes: [] });
    const symbols = { outline } as never;
    const call = { caller: callerOf('alice'), signal: new AbortController().signal, links, symbols };
    expect((await answerFor({ find }, { ...parseQuery('a'), mode: 'keyword' }, call)).blocks).toMatchObject([
      { chunks: [{ startLine: 3 }, { startLine: 9 }] },
    ]);
  });
});
