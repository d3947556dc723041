import { parseQuery, queryOf } from '@sextant/contracts';
import type { Commit, FoundDiff, FoundFile, HistoryResult, SearchResult } from '@sextant/contracts';
import { SextantError } from '@sextant/core';
import type { Toolbox } from '@sextant/core';
import { describe, expect, test, vi } from 'vitest';
import { callOf } from '../testing/start-evaluator.ts';
import { Functions, kindOf } from './functions.ts';

const commit = 'c'.repeat(40);
const file: FoundFile = {
  repo: 'shop',
  path: 'a.ts',
  commit,
  chunks: [],
  matches: [
    { line: 3, text: 'f();', ranges: [[0, 1]] },
    { line: 9, text: 'f(2);', ranges: [[0, 1]] },
  ],
  matchCount: 2,
};
const found: SearchResult = { type: 'file', files: [file], matchCount: 2, fileCount: 1, limitHit: false, notes: [] };
const ada: Commit = {
  repo: 'shop',
  commit,
  author: { name: 'Ada', email: 'ada@example.com' },
  date: '2026-01-02T03:04:05Z',
  authorDate: '2026-01-02T03:04:05Z',
  title: 'fix the cart',
  message: 'fix the cart\n\nIt lost items.',
};
/** What matches of history say of their commit. */
const who = { repo: 'shop', rev: commit, author: 'Ada <ada@example.com>', date: ada.date, authorDate: ada.authorDate };
const history = <T>(results: readonly T[], change: Partial<HistoryResult<T>> = {}): HistoryResult<T> => ({
  query: queryOf([]),
  results,
  totalCount: results.length,
  isLimited: false,
  notes: [],
  ...change,
});

const search = { find: vi.fn(async () => found) };
const historyService = {
  commits: vi.fn(async () => history([ada])),
  diffs: vi.fn(async () => history<FoundDiff>([])),
  find: vi.fn(),
  contributors: vi.fn(),
};
const run = vi.fn(async (name: string, input: unknown): Promise<Record<string, unknown>> => ({ name, input }));
const tools =
  'commit_search deepsearch diff_search evaluator find_references go_to_definition keyword_search list_files list_repos nls_search read_file';
const toolbox: Toolbox = {
  tools: tools.split(' ').map((name) => ({ name, title: '', description: '', inputSchema: {} })),
  run: async (name, input) => ({ structured: await run(name, input), text: '' }),
};
const functions = new Functions({ search, history: historyService, toolbox, most: 1000 });
const answer = (name: string, argument: unknown): Promise<object> => functions.find(name).run(argument, callOf());

describe('search.keyword and search.nls', () => {
  test.each([
    ['search.keyword', 'keyword'],
    ['search.nls', 'natural'],
  ])('%s is exhaustive: everything is asked for', async (name, mode) => {
    expect(await answer(name, 'f')).toEqual({
      matches: [
        { repo: 'shop', path: 'a.ts', rev: commit, line: 3, text: 'f();' },
        { repo: 'shop', path: 'a.ts', rev: commit, line: 9, text: 'f(2);' },
      ],
      stats: { matchCount: 2, limitHit: false },
    });
    const limits = expect.objectContaining({ files: 10_000, characters: expect.any(Number) });
    expect(search.find).toHaveBeenLastCalledWith(
      expect.anything(),
      { ...parseQuery('f'), mode, limits },
      expect.any(AbortSignal),
    );
  });

  test('a revision is named as the query named it', async () => {
    search.find.mockResolvedValueOnce({ ...found, files: [{ ...file, revision: 'v1' }] });
    expect(await answer('search.keyword', { query: 'f rev:v1' })).toMatchObject({
      matches: [{ rev: 'v1' }, { rev: 'v1' }],
    });
  });

  test('a file whose path alone matches is a match in line 0', async () => {
    search.find.mockResolvedValueOnce({ ...found, files: [{ ...file, matches: [], matchCount: 0 }], notes: ['n'] });
    expect(await answer('search.keyword', 'a.ts')).toEqual({
      matches: [{ repo: 'shop', path: 'a.ts', rev: commit, line: 0, text: '' }],
      stats: { matchCount: 2, limitHit: false },
      notes: ['n'],
    });
  });

  test('`stats.limitHit` says when it is not: more files, or more lines of a file', async () => {
    const limited = { stats: { limitHit: true } };
    const notSearched = { files: 1, reasons: ['Searched by name only, as too large: a.md.'] };
    search.find.mockResolvedValueOnce({ ...found, notSearched });
    expect(await answer('search.keyword', 'parse')).toMatchObject({ stats: { limitHit: true, notSearched } });
    search.find.mockResolvedValueOnce({ ...found, limitHit: true });
    expect(await answer('search.keyword', 'f')).toMatchObject(limited);
    search.find.mockResolvedValueOnce({ ...found, files: [{ ...file, matchCount: 3 }], matchCount: 3 });
    expect(await answer('search.keyword', 'f')).toMatchObject(limited);
  });

  test.each([null, '', [], 7, { q: 'f' }])('%j is no query', async (argument) => {
    await expect(answer('search.keyword', argument)).rejects.toThrow(
      'a query is missing; write it as in search.keyword("',
    );
  });
});

describe('search.commits', () => {
  test('has a match for each commit', async () => {
    expect(await answer('search.commits', { repos: ['shop'] })).toEqual({
      matches: [
        {
          ...who,
          path: '',
          line: 0,
          text: 'fix the cart',
          message: ada.message,
        },
      ],
      stats: { matchCount: 1, limitHit: false },
    });
  });

  test('takes what the tool takes, and finds everything', async () => {
    const filters = { authors: ['ada'], revisions: ['v1'], after: '2026-01-01', before: '2026-02-01' };
    const given = { repos: ['shop'], messageTerms: ['cart'], contentTerms: ['lose'], files: ['*.ts'], ...filters };
    await answer('search.commits', { ...given, useRegex: true });
    const request = { repositories: ['shop'], messages: ['cart'], contents: ['lose'], paths: ['*.ts'], ...filters };
    expect(historyService.commits).toHaveBeenLastCalledWith(
      expect.anything(),
      { ...request, order: 'newest', count: 1000, isRegex: true },
      expect.any(AbortSignal),
    );
    await answer('search.commits', { repos: ['shop'], count: 5 });
    expect(historyService.commits).toHaveBeenLastCalledWith(
      expect.anything(),
      expect.objectContaining({ count: 5 }),
      expect.any(AbortSignal),
    );
  });

  test.each([
    [[], 'Missing argument "repos".'],
    [{ repos: 7 }, 'Argument "repos": expected an array, got a number.'],
    [{ repos: ['shop'], autors: 'ada' }, 'Unknown argument "autors". Did you mean "authors"?'],
  ])('%j is refused with what is allowed', async (argument, message) => {
    await expect(answer('search.commits', argument)).rejects.toThrow(message);
  });
});

describe('search.diffs', () => {
  const hunk = '@@ -10,3 +10,3 @@ function cart() {\n before\n-lose()\n+keep()\n after';
  const diff: FoundDiff = { ...ada, path: 'src/cart.ts', hunk, matchRanges: [{ line: 4, start: 1, end: 5 }] };

  test('has a match for each changed line with the pattern', async () => {
    historyService.diffs.mockResolvedValueOnce(history([diff]));
    expect(await answer('search.diffs', { pattern: 'keep', repos: ['shop'] })).toEqual({
      matches: [
        {
          ...who,
          path: 'src/cart.ts',
          line: 11,
          text: 'keep()',
          side: 'added',
          title: ada.title,
        },
      ],
      stats: { matchCount: 1, limitHit: false },
    });
  });

  test.each([
    [{}, ['added', 'removed']],
    [{ added: true }, ['added']],
    [{ removed: true }, ['removed']],
    [{ added: true, removed: true }, ['added', 'removed']],
  ])('%j looks at %j lines', async (flags, sides) => {
    await answer('search.diffs', { pattern: 'keep', repos: ['shop'], ...flags });
    expect(historyService.diffs).toHaveBeenLastCalledWith(
      expect.anything(),
      expect.objectContaining({ sides, pattern: 'keep', repositories: ['shop'], count: 1000, isWhole: true }),
      expect.any(AbortSignal),
    );
  });

  test('`stats.limitHit` says when a long hunk was cut', async () => {
    const cut = { ...diff, hunk: `${hunk}\n[12 lines of this hunk are not shown]` };
    historyService.diffs.mockResolvedValueOnce(history([cut]));
    expect(await answer('search.diffs', { pattern: 'keep', repos: ['shop'] })).toMatchObject({
      stats: { limitHit: true },
    });
  });
});

test('search.repos has a match for each repository', async () => {
  const described = { description: 'A shop', defaultBranch: 'main', private: true };
  run.mockResolvedValueOnce({ repositories: [{ name: 'shop', ...described }], hasMoreResults: true });
  expect(await answer('search.repos', 'sh')).toEqual({
    matches: [
      {
        ...described,
        repo: 'shop',
        path: '',
        rev: 'main',
        line: 0,
        text: 'A shop',
      },
    ],
    stats: { matchCount: 1, limitHit: true },
  });
  expect(run).toHaveBeenLastCalledWith('list_repos', { query: 'sh', limit: 10_000 });
  run.mockResolvedValue({ repositories: [], hasMoreResults: false });
  for (const none of [null, '']) await answer('search.repos', none);
  expect(run).toHaveBeenLastCalledWith('list_repos', { query: '', limit: 10_000 });
  run.mockReset();
});

describe('tools', () => {
  test('source.read_file has the text without numbers besides', async () => {
    run.mockResolvedValueOnce({ content: '9: one\n10: 11: two\n11: ', startLine: 9 });
    expect(await answer('source.read_file', { repo: 'shop', path: 'a.ts' })).toEqual({
      content: '9: one\n10: 11: two\n11: ',
      startLine: 9,
      text: 'one\n11: two\n',
    });
  });

  test.each([
    ['source.list_files', 'list_files', 'reads'],
    ['code.definition', 'go_to_definition', 'searches'],
    ['code.references', 'find_references', 'searches'],
    ['tools.read_file', 'read_file', 'reads'],
    ['tools.commit_search', 'commit_search', 'searches'],
  ])('%s answers what %s answers', async (name, tool, counts) => {
    const structured = { tool };
    run.mockResolvedValueOnce(structured);
    expect(await answer(name, { a: 1 })).toBe(structured);
    expect(run).toHaveBeenLastCalledWith(tool, { a: 1 });
    expect(kindOf(name)).toBe(counts);
    run.mockResolvedValueOnce({});
    await answer(name, []);
    expect(run).toHaveBeenLastCalledWith(tool, {});
  });

  test('every tool that only reads is a function: scripts run no scripts and create no conversations', async () => {
    const others = ['deepsearch', 'evaluator'];
    expect(functions.toolNames).toEqual(tools.split(' ').filter((name) => !others.includes(name)));
    for (const name of others) await expect(answer(`tools.${name}`, {})).rejects.toThrow(`a script cannot run ${name}`);
  });

  test('an unknown one is answered with the nearest and all that there are', () => {
    expect(() => functions.find('tools.readfile')).toThrow(
      /^there is no tools\.readfile\. Did you mean "tools\.read_file"\? There are tools\.commit_search, /,
    );
    expect(() => functions.find('search.constructor')).toThrow(/^there is no search\.constructor/);
  });

  test('while a tool is switched off, so is its function', () => {
    const without = { ...toolbox, tools: toolbox.tools.filter(({ name }) => name !== 'keyword_search') };
    const reduced = new Functions({ search, history: historyService, toolbox: without, most: 1 });
    expect(() => reduced.find('search.keyword')).toThrow(
      new SextantError('not_found', 'search.keyword is not available here: keyword_search is switched off'),
    );
  });
});
