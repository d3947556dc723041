import { defaultSearchLimits, filters, printQuery, queryOf } from '@sextant/contracts';
import type { FoundFile, FoundHistory, SearchRequest, SearchResult } from '@sextant/contracts';
import { SextantError, silentLogger } from '@sextant/core';
import type { Call } from '@sextant/core';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, it } from 'vitest';
import { filtersIn, suggestedFilters } from './filters.ts';
import plugin from './index.ts';

const file = (path: string, more: Partial<FoundFile> = {}): FoundFile => ({
  repo: 'acme/shop',
  path,
  commit: 'c'.repeat(40),
  chunks: [{ startLine: 7, endLine: 8, lines: ['const <cart> = 1;', 'next'] }],
  matches: [{ line: 7, text: 'const <cart> = 1;', ranges: [[7, 11]] }],
  matchCount: 1,
  ...more,
});
const resultOf = (files: readonly FoundFile[], more: Partial<SearchResult> = {}): SearchResult => ({
  type: 'file',
  files,
  matchCount: files.length,
  fileCount: files.length,
  limitHit: false,
  notes: [],
  ...more,
});
const links = {
  file: ({ repo, path, revision }: { repo: string; path: string; revision?: string }) =>
    `https://code.example.com/${repo}${revision === undefined ? '' : `@${revision}`}${path && `/-/blob/${path}`}`,
  commit: (repo: string, hash: string) => `https://code.example.com/${repo}/-/commit/${hash}`,
};

interface Services {
  find?: (request: SearchRequest) => Promise<SearchResult>;
  history?: object;
  symbols?: object;
}

async function open(
  path: string,
  { find = async () => resultOf([file('src/cart.ts')]), ...services }: Services = {},
): Promise<string> {
  const [page] = plugin.pages;
  if (!page) throw new Error('the plugin has a page');
  const call: Call = {
    caller: callerOf('alice'),
    endpoint: '/search',
    signal: new AbortController().signal,
    log: silentLogger,
    reportProgress() {},
  };
  const repositories = { list: async () => [{ name: 'acme/shop.js' }] };
  const search = { find: (_caller: unknown, request: SearchRequest) => find(request) };
  return (
    await page.respond(new Request(`http://localhost${path}`), { links, search, repositories, ...services }, call)
  ).text();
}

describe('a search', () => {
  it('shows files as the tools rank them, with what matches marked and links to the lines', async () => {
    const files = [file('src/cart.ts'), file('b.ts', { revision: 'v1' })];
    const text = await open('/search?q=cart', {
      find: async () => resultOf(files, { matchCount: 12, fileCount: 3, limitHit: true, notes: ['<note>'] }),
    });
    expect(text).toContain('12 matches or more in 3 files, 2 shown');
    expect(text.indexOf('src/cart.ts')).toBeLessThan(text.indexOf('b.ts'));
    expect(text).toContain('href="/acme/shop/-/blob/src/cart.ts?L7" data-result');
    expect(text).toContain('href="/acme/shop@v1/-/blob/b.ts?L7"');
    expect(text).toContain('<code>const &lt;<mark>cart</mark>&gt; = 1;\n</code>');
    expect(text).toContain('&lt;note>');
    expect(text).toContain('href="/search?q=cart&amp;show=8">Show more</a>');
  });

  it('says what was not searched, once', async () => {
    const reasons = ['Not searched: shop (it is damaged).', 'Searched by name only, as too large: a.md.'];
    const text = await open('/search?q=cart', {
      find: async () => resultOf([], { notes: reasons.slice(0, 1), notSearched: { files: 1, reasons } }),
    });
    for (const reason of reasons) expect(text.split(reason)).toHaveLength(2);
  });

  it('asks in the mode and for as many files as the address says', async () => {
    const asked: SearchRequest[] = [];
    const find = async (request: SearchRequest): Promise<SearchResult> => {
      asked.push(request);
      return resultOf([]);
    };
    for (const query of ['?q=%20cart%20', '?q=cart&mode=natural&show=60', '?q=cart&mode=x&show=1e9', '?q=cart&show=x'])
      await open(`/search${query}`, { find });
    expect(asked.map(({ mode, limits, ...query }) => [printQuery(query), mode, limits.files])).toEqual([
      ['"cart"', 'keyword', defaultSearchLimits.files],
      ['"cart"', 'natural', 60],
      ['"cart"', 'keyword', 100],
      ['"cart"', 'keyword', defaultSearchLimits.files],
    ]);
  });

  it('says what to do where nothing is found', async () => {
    expect(await open('/search?q=nowhere', { find: async () => resultOf([]) })).toContain('Nothing was found.');
  });

  it('without a question says what can be asked, and searches nothing', async () => {
    const find = () => Promise.reject(new Error('nothing was asked'));
    for (const path of ['/search', '/search?q=', '/search?q=+++'])
      expect(await open(path, { find })).toContain('repo:^acme/shop\\.js$ -file:test config');
  });
});

describe('a query that does not parse', () => {
  it('is shown with its place marked, and nothing is searched', async () => {
    const find = () => Promise.reject(new Error('nothing is searched'));
    const text = await open('/search?q=%3Cb%3E+(bar+OR', { find });
    expect(text).toContain('&lt;b>&nbsp;(bar '.replace('&nbsp;', ' ') + '<mark class="mistake">O</mark>R');
    expect(text).toContain('aria-invalid="true"');
  });

  it('that the search refuses is explained in its words', async () => {
    const find = () => Promise.reject(new SextantError('invalid_argument', 'the pattern is too large\n  ^'));
    expect(await open('/search?q=cart', { find })).toContain('the pattern is too large\n  ^');
  });

  it('that breaks is a failure of the server', async () => {
    await expect(open('/search?q=cart', { find: () => Promise.reject(new Error('bug')) })).rejects.toThrow('bug');
  });
});

describe('other results', () => {
  const commit = {
    repo: 'acme/shop',
    commit: 'd'.repeat(40),
    author: { name: 'Ada', email: 'ada@example.com' },
    date: '2026-01-02T03:04:05Z',
    authorDate: '2026-01-02T03:04:05Z',
    title: 'Fix <cart>',
    message: 'Fix <cart>',
  };
  const counts = { query: queryOf([]), totalCount: 1, isLimited: false, notes: [] };
  const historyOf = (found: FoundHistory) => ({ history: { find: async () => found } });

  it('are commits', async () => {
    const text = await open('/search?q=type:commit+cart', historyOf({ type: 'commit', results: [commit], ...counts }));
    expect(text).toContain(`href="/acme/shop/-/commit/${commit.commit}" data-result="true">Fix &lt;cart></a>`);
  });

  it('are hunks, with what was looked for marked', async () => {
    const diff = {
      ...commit,
      path: 'a.ts',
      hunk: '@@ -1 +1 @@\n-<cart>\n+x',
      matchRanges: [{ line: 2, start: 2, end: 6 }],
    };
    const text = await open('/search?q=type:diff+cart', historyOf({ type: 'diff', results: [diff], ...counts }));
    expect(text).toContain('<tr class=del><td><code>-&lt;<mark>cart</mark>&gt;\n</code></td></tr>');
  });

  it('are definitions', async () => {
    const files = [
      {
        repo: 'acme/shop',
        path: 'a.ts',
        chunks: [{ startLine: 3, endLine: 3, lines: ['class Cart'] }],
        places: [{ line: 3, kind: 'class' }],
      },
    ];
    const symbols = { search: async () => ({ files, matchCount: 1, limitHit: false, notes: [] }) };
    expect(await open('/search?q=type:symbol+cart', { symbols })).toContain(
      'href="/acme/shop/-/blob/a.ts?L3" data-result',
    );
  });

  it('are repositories, which lead to their pages', async () => {
    const found = file('', { chunks: [], matches: [], matchCount: 0 });
    const text = await open('/search?q=type:repo+shop', { find: async () => resultOf([found], { type: 'repo' }) });
    expect(text).toContain('1 repository in');
    expect(text).toContain('href="/acme/shop" data-result');
  });
});

describe('filters', () => {
  it('are all in the help, with what they mean', async () => {
    const text = await open('/search');
    for (const { aliases, help } of Object.values(filters)) {
      expect(text).toContain(`${aliases.map((alias) => `${alias}:`).join(' ')}</dt>`);
      expect(text).toContain(help.split(/["<]/)[0] ?? help);
    }
  });

  it.each([
    ['repo:a lang:go cart', ['repo:a', 'lang:go']],
    [
      '-file:test (repo:x OR repo:y) "repo:z" type:diff after:"2 weeks ago"',
      ['-file:test', 'repo:x', 'repo:y', 'type:diff', 'after:"2 weeks ago"'],
    ],
    ['type:commit m:fix msg:a line:b limit:5', ['type:commit', 'm:fix', 'msg:a', 'line:b', 'limit:5']],
    ['m:fix line:b limit:5', ['limit:5']],
    ['http://repo:a x:y', []],
    ['"a \\" repo:b" lang:c', ['lang:c']],
  ])('of %j are chips', (query, texts) => {
    expect(filtersIn(query).map(({ text }) => text)).toEqual(texts);
  });

  it('are removed by their chips', async () => {
    expect(filtersIn('a repo:x  b').map(({ without }) => without)).toEqual(['a b']);
    expect(await open('/search?q=repo:x+cart&mode=natural')).toContain(
      'href="/search?q=cart&amp;mode=natural" aria-label="Remove repo:x"',
    );
  });

  it('are suggested by what the results have', () => {
    const result = resultOf([file('a.ts'), file('b.ts'), file('c_test.go', { repo: 'x.y' })]);
    expect(suggestedFilters(result, 'cart')).toEqual([
      'repo:^acme/shop$',
      String.raw`repo:^x\.y$`,
      String.raw`file:\.ts$`,
      String.raw`file:\.go$`,
      '-file:test',
    ]);
    expect(suggestedFilters(resultOf([file('a.ts')]), 'cart')).toEqual([]);
  });
});
