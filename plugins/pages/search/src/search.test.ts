import { defaultSearchLimits, filters, printQuery, queryOf } from '@sextant/contracts';
import type { CodePiece, FoundFile, FoundHistory, SearchRequest, SearchResult, SymbolPlace } from '@sextant/contracts';
import { SextantError, silentLogger } from '@sextant/core';
import type { Call } from '@sextant/core';
import { callerOf, csvCells } from '@sextant/core/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { commitFacets, fileFacets } from './facets.ts';
import { filtersIn } from './filters.ts';
import plugin from './index.ts';
import { corrected } from './nothing.ts';
import { isQuestion } from './question.ts';

// The time of searches is what the tests say: pages leave out what does not fit into it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

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
  find?: (request: SearchRequest, signal: AbortSignal) => Promise<SearchResult>;
  /** What the client takes. */
  accept?: string;
  history?: object;
  symbols?: object;
  repositories?: object;
  colours?: object;
}

async function open(
  path: string,
  { find = async () => resultOf([file('src/cart.ts')]), accept = '*/*', ...services }: Services = {},
): Promise<string> {
  const page = plugin.pages.find((each) => each.path === new URL(path, 'http://localhost').pathname);
  if (!page) throw new Error('the plugin has a page');
  const call: Call = {
    caller: callerOf('alice'),
    endpoint: '/search',
    signal: new AbortController().signal,
    log: silentLogger,
    reportProgress() {},
  };
  const repositories = { list: async () => [{ name: 'acme/shop.js' }] };
  const search = {
    find: (_caller: unknown, request: SearchRequest, signal: AbortSignal) => find(request, signal),
  };
  const request = new Request(`http://localhost${path}`, { headers: { accept } });
  return (await page.respond(request, { links, search, repositories, ...services }, call)).text();
}

describe('a search', () => {
  it('shows lines in the colours of their whole file, which is read once', async () => {
    let reads = 0;
    const readTextAt = async (commit: string, path: string) => ({
      file: { text: `${++reads} ${commit.slice(0, 1)} ${path}` },
    });
    const repositories = { list: async () => [], open: async () => ({ readTextAt }) };
    const colour = async ({ whole }: CodePiece) => {
      const { text } = (await whole?.read()) ?? { text: '' };
      return { markup: [`${whole?.startLine} ${text}`], isComplete: true };
    };
    const { chunks, ...found } = file('src/cart.ts', { matches: [] });
    const find = async () => resultOf([{ ...found, chunks: [...chunks, { startLine: 9, endLine: 9, lines: ['a'] }] }]);
    const text = await open('/search?q=cart', { find, repositories, colours: { colour } });
    expect(text).toContain('7 1 c src/cart.ts');
    expect(text).toContain('9 1 c src/cart.ts');
  });

  it('has an address of its results in colours where these were late', async () => {
    const colour = async (_piece: CodePiece, waitMs: number) =>
      waitMs > 1000 ? { markup: ['<i>a</i>'], isComplete: true } : { markup: ['a'], isComplete: false };
    const page = await open('/search?q=cart', { colours: { colour } });
    expect(page).toContain('data-coloured="/search?q=cart&amp;part=coloured"');
    const part = await open('/search?q=cart&part=coloured', { colours: { colour } });
    expect(part).toContain('<code><i>a</i>');
    expect(part).not.toContain('data-coloured');
  });

  it('has no other address of results that were late: these wait for their colours, and are searched for once', async () => {
    const waits: number[] = [];
    const colour = async (_piece: CodePiece, waitMs: number) => {
      waits.push(waitMs);
      return { markup: ['a'], isComplete: false };
    };
    const find = async () => {
      vi.advanceTimersByTime(searchMs);
      return resultOf([file('src/cart.ts')]);
    };
    let searchMs = 0;
    for (searchMs of [100, 900, 9000])
      for (const part of ['results', 'all'])
        expect(await open(`/search?q=cart&part=${part}`, { find, colours: { colour } })).not.toContain('data-coloured');
    // As long as the search took, within bounds.
    expect(waits.map((wait) => 10 * Math.round(wait / 10))).toEqual([250, 250, 900, 900, 2000, 2000]);
  });

  it('shows files as the tools rank them, with what matches marked and links to the lines', async () => {
    const files = [file('src/cart.ts'), file('b.ts', { revision: 'v1' })];
    const text = await open('/search?q=cart', {
      find: async () => resultOf(files, { matchCount: 12, fileCount: 3, limitHit: true, notes: ['<note>'] }),
    });
    expect(text).toContain('12 matches or more in 3 files, 2 shown');
    expect(text.indexOf('src/cart.ts?L7')).toBeLessThan(text.indexOf('b.ts?L7'));
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
      if (request.limits.chunksPerFile > 0) asked.push(request);
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

  it('leads on where nothing is found: to other words, and to the query without a filter', async () => {
    const text = await open('/search?q=lang:go+no+where', { find: async () => resultOf([]) });
    expect(text).toContain('Nothing was found.');
    expect(text).toContain('href="/search?q=lang%3Ago+%28no+OR+where%29">any of the words</a>');
    expect(text).toContain('href="/search?q=no+where">without lang:go</a>');
    expect(text).toContain('href="/search?q=lang%3Ago+no+where&amp;mode=natural">as a question</a>');
    expect(text).toContain('href="/search?q=type%3Adiff+diff%3Aremoved+no+where">changes that removed it</a>');
  });

  it.each([
    [
      'repo:gin retrry',
      'Nothing matches "retrry" by itself; the other parts do. Did you mean "retry"?',
      'repo:gin retry',
    ],
    ['Cotnext', 'Did you mean "Context"?', 'Context'],
    ['repo:gni x', 'No repository matches repo:gni. Did you mean "acme/gin.go"?', String.raw`repo:^acme/gin\.go$ x`],
    ['a b', 'Did you mean "c"?', undefined],
    ['a', 'Nothing matches "b" by itself.', undefined],
  ])('of %j becomes what was meant', (query, note, expected) => {
    expect(corrected(query, note)?.query).toBe(expected);
  });

  it('folds notes, and leaves out what is for agents', async () => {
    const notes = ['One. list_repos shows the names you can use.', 'Two.'];
    const text = await open('/search?q=cart', { find: async () => resultOf([file('a.ts')], { notes }) });
    expect(text).toContain('<summary>2 notes on these results</summary><ul><li>One.</li><li>Two.</li></ul>');
  });

  it('says why its results stand where they do', async () => {
    const score = { total: 2.345, parts: { '×class': 0.5, base: 4, name: 0, other: 0.69 } };
    const asked: unknown[] = [];
    const text = await open('/search?q=cart&why=1', {
      find: async ({ explain }) => (asked.push(explain), resultOf([file('a.ts', { score })])),
    });
    expect(asked).toContain(true);
    expect(text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/ +/g, ' ')).toContain(
      'Score 2.35 it matches +4 other +0.69 kind of file ×0.5 ',
    );
  });

  it('leads to all matches of a file where not all are shown', async () => {
    const text = await open('/search?q=cart', { find: async () => resultOf([file('src/a.ts', { matchCount: 9 })]) });
    expect(text).toContain(
      `href="/search?q=${encodeURIComponent(String.raw`cart repo:^acme/shop$ file:^src/a\.ts$`).replaceAll('%20', '+')}">All 9 matches of this file</a>`,
    );
  });

  it('that takes longer than the page waits is given up, and left to who asks for its results', async () => {
    const given: AbortSignal[] = [];
    const find = (_request: SearchRequest, signal: AbortSignal): Promise<SearchResult> => {
      given.push(signal);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const text = await open('/search?q=cart', { find, accept: 'text/html' });
    expect(given.every(({ aborted }) => aborted)).toBe(true);
    expect(text).toContain('data-results="/search?q=cart&amp;part=results"');
    expect(text).toContain('content="0; url=/search?q=cart&amp;part=all"');
    expect(await open('/search?q=cart&part=results', { accept: 'text/html' })).toMatch(/^<div>.*src\/<.*cart\.ts/s);
  });

  it('is one click from other kinds of results, without the filters of this kind', async () => {
    const kinds = async (query: string): Promise<string[]> => {
      const text = await open(`/search?${new URLSearchParams({ q: query })}`, {
        history: { find: async () => ({ type: 'commit', results: [], totalCount: 0, isLimited: false, notes: [] }) },
      });
      return [...text.matchAll(/<a href="\/search\?q=([^"&]*)[^"]*"(?: aria-current="page")?>(?:Code|Commits)</g)].map(
        ([, of = '']) => decodeURIComponent(of.replaceAll('+', ' ')),
      );
    };
    expect(await kinds('lang:go cart')).toEqual(['lang:go cart', 'type:commit cart']);
    expect(await kinds('type:commit author:ada repo:x cart')).toEqual([
      'repo:x cart',
      'type:commit author:ada repo:x cart',
    ]);
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
    expect(text).toMatch(/<tr class=del>.*<td><code>-&lt;<mark>cart<\/mark>&gt;\n<\/code><\/td><\/tr>/);
  });

  it.each([
    ['from its first line on', '@@ -41,3 +52,3 @@\n both\n-old\n+new\n both', ['41 52', '42 -', '- 53', '43 54']],
    ['from its last', '@@ -1,9 +1,9 @@\n[8 lines of this hunk are not shown]\n-old\n+new', ['- -', '9 -', '- 9']],
    ['of a new file', `@@ -0,0 +1,9 @@\n${cutLines(3)}\n+new\n${cutLines(5)}`, ['- -', '- 4', '- -']],
    ['which are not known', `@@ -1,9 +1,9 @@\n${cutLines(3)}\n-old\n+new\n${cutLines(3)}`, Array(4).fill('- -')],
  ])('are hunks with the numbers of their lines, %s', async (_name, hunk, expected) => {
    const diff = { ...commit, path: 'a.py', hunk, matchRanges: [] };
    const text = await open('/search?q=type:diff+new', historyOf({ type: 'diff', results: [diff], ...counts }));
    const found = text.matchAll(/<tr[^>]*><td>(?:<a [^>]*>(\d+)<\/a>)?<\/td><td>(?:<a [^>]*>(\d+)<\/a>)?<\/td>/g);
    expect([...found].map(([, before = '-', after = '-']) => `${before} ${after}`)).toEqual(expected);
    for (const [, page = '', line, name] of text.matchAll(/href="\/(\S+)\?L(\d+)" tabindex=-1>(\d+)</g)) {
      expect(line).toBe(name);
      expect(page).toMatch(/^acme\/shop@d{40}(~1)?\/-\/blob\/a\.py$/);
    }
  });

  it('are hunks, in the colours of the files before and after the change', async () => {
    const hunk = '@@ -41,2 +52,2 @@\n both\n-old\n+new\n[9 lines of this hunk are not shown]';
    const diff = { ...commit, path: 'a.py', hunk, matchRanges: [{ line: 4, start: 1, end: 4 }] };
    const reads: string[] = [];
    const readTextAt = async (revision: string) => {
      reads.push(revision.slice(-2));
      return { file: { text: revision.slice(-2) } };
    };
    const colour = async ({ lines, whole }: CodePiece) => {
      const { text } = (await whole?.read()) ?? { text: '' };
      return { markup: lines.map((line) => `<i>${line}</i> ${text}:${whole?.startLine}`), isComplete: true };
    };
    const later = { ...diff, hunk: '@@ -61 +72 @@\n-x\n+y', matchRanges: [] };
    const found = historyOf({ type: 'diff', results: [diff, later], ...counts });
    const repositories = { list: async () => [], open: async () => ({ readTextAt }) };
    const text = await open('/search?q=type:diff+new', { ...found, repositories, colours: { colour } });
    expect([...text.matchAll(/<code>(.*)\n/g)].map(([, line]) => line)).toEqual([
      '@@ -41,2 +52,2 @@',
      ' <i>both</i> dd:52',
      '-<i>old</i> ~1:41',
      '+<i><mark>new</mark></i> dd:52',
      '[9 lines of this hunk are not shown]',
      '@@ -61 +72 @@',
      '-<i>x</i> ~1:61',
      '+<i>y</i> dd:72',
    ]);
    expect(reads.toSorted()).toEqual(['dd', '~1']);
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

  it('that are definitions can be narrowed to a kind, of which alone the lines are shown', async () => {
    const chunks = [3, 7].map((startLine) => ({ startLine, endLine: startLine, lines: [`line ${startLine}`] }));
    const places: SymbolPlace[] = [
      { line: 3, kind: 'class', range: [0, 4] },
      { line: 7, kind: 'method', range: [5, 6] },
    ];
    const files = [{ repo: 'acme/shop', path: 'a.ts', chunks, places }];
    const symbols = { search: async () => ({ files, matchCount: 2, limitHit: false, notes: [] }) };
    const all = await open('/search?q=type:symbol+cart', { symbols });
    expect(all).toContain('href="/search?q=type%3Asymbol+cart&amp;kind=method"');
    expect(all).not.toMatch(/Answer as a question|Why this order/);
    const methods = await open('/search?q=type:symbol+cart&kind=method', { symbols });
    expect(methods).toContain('<code>line <mark>7</mark>\n');
    expect(methods).not.toContain('<mark>line</mark>');
    expect(all).toContain('<code><mark>line</mark> 3\n');
    expect(methods).toContain('href="/search?q=type%3Asymbol+cart" aria-label="Remove method"');
  });

  it('are repositories, which lead to their pages', async () => {
    const found = file('', { chunks: [], matches: [], matchCount: 0 });
    const text = await open('/search?q=type:repo+shop', { find: async () => resultOf([found], { type: 'repo' }) });
    expect(text).toContain('1 repository · ');
    expect(text).toContain('href="/acme/shop" data-result');
  });
});

it('without a query it has examples, with a repository that can be searched', async () => {
  const list = async () => [{ name: 'later', clone: { state: 'cloning' } }, { name: 'shop' }];
  const text = await open('/search', { repositories: { list } });
  expect(text).toContain('repo:^shop$ -file:test config');
  expect(text).not.toContain('later');
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
});

describe('what results can be narrowed by', () => {
  it('is counted over more files than are shown', async () => {
    const files = [file('src/a.ts'), file('src/b.ts'), file('test/c.go')];
    const find = async ({ limits }: SearchRequest) => resultOf(limits.chunksPerFile === 0 ? files : files.slice(0, 1));
    const text = await open('/search?q=cart', { find });
    expect(text).toMatch(/q=cart\+lang%3Atypescript"[^>]*><span>TypeScript<\/span><small>2<\/small>/);
    expect(text).toMatch(/<span>Tests<\/span><small>1<\/small>/);
  });

  it('is repositories, languages, tests, and the folders of a single repository', () => {
    const titles = (files: FoundFile[], query = 'cart') =>
      fileFacets(files, query).map(({ title, facets }) => [
        title,
        ...facets.map(({ filter, count }) => `${filter} ${count}`),
      ]);
    expect(titles([file('a.ts'), file('b.ts'), file('c_test.go', { repo: 'x.y' })])).toEqual([
      ['Repositories', 'repo:^acme/shop$ 2', String.raw`repo:^x\.y$ 1`],
      ['Languages', 'lang:typescript 2', 'lang:go 1'],
      ['Tests', 'file:test 1', '-file:test 2'],
    ]);
    expect(titles([file('lib/src/a.ts'), file('lib/doc/b.ts'), file('lib/src/x/c.ts')])).toEqual([
      ['Folders', 'file:^lib/src/ 2', 'file:^lib/doc/ 1'],
    ]);
    expect(titles([file('a.ts')])).toEqual([]);
    expect(titles([file('a.ts'), file('b.go')], 'cart lang:go')).toEqual([]);
  });
});

it('commits are narrowed by their authors and years', () => {
  const by = (name: string, date: string) => ({
    repo: 'acme/shop',
    commit: 'd'.repeat(40),
    author: { name, email: 'a@example.com' },
    date,
    authorDate: date,
    title: '',
    message: '',
  });
  const commits = [
    by('Ada L. (x)', '2026-01-02T00:00:00Z'),
    by('Bob', '2025-01-02T00:00:00Z'),
    by('Bob', '2025-03-02T00:00:00Z'),
  ];
  expect(
    commitFacets(commits, 'type:commit').map(({ title, facets }) => [title, ...facets.map(({ filter }) => filter)]),
  ).toEqual([
    ['Authors', 'author:"Bob"', String.raw`author:"Ada L\. \(x\)"`],
    ['Years', 'after:2025-01-01 before:2026-01-01', 'after:2026-01-01 before:2027-01-01'],
  ]);
});

describe('one box', () => {
  it.each([
    ['where is the retry logic', true],
    ['how are items counted?', true],
    ['retry logic used?', true],
    ['repo:shop where are carts removed', true],
    ['where cart', false],
    ['cart?', false],
    ['func main', false],
    ['is "where is it" here', false],
    ['which files have parseConfig in', false],
    ['where is a.b called', false],
    ['where are NOT these words', false],
    ['type:commit where was it fixed', false],
    ['if (a) return b ? c : d', false],
  ])('%j is a question: %s', (query, expected) => {
    expect(isQuestion(query)).toBe(expected);
  });

  it('answers questions as questions, with the way to search the words, and the other way round', async () => {
    const modes: string[] = [];
    const find = async ({ mode }: SearchRequest): Promise<SearchResult> => {
      modes.push(mode);
      return resultOf([file('a.ts')]);
    };
    const question = 'where+is+the+retry+logic';
    const answered = await open(`/search?q=${question}`, { find });
    expect(answered).toContain(`href="/search?q=${question}&amp;mode=keyword">Search these words instead</a>`);
    expect(await open(`/search?q=${question}&mode=keyword`, { find })).toContain(
      `href="/search?q=${question}">Answer as a question</a>`,
    );
    expect(await open('/search?q=retry+logic', { find })).toContain(
      'href="/search?q=retry+logic&amp;mode=natural">Answer as a question</a>',
    );
    expect(modes.filter((_, index) => index % 2 === 0)).toEqual(['natural', 'keyword', 'keyword']);
  });

  it('gives results as a file for a spreadsheet, which runs nothing in it', async () => {
    const found = file('=cmd()', { matches: [{ line: 7, text: ' a,"b" ', ranges: [[0, 1]] }] });
    expect(await open('/search?q=cart&format=csv', { find: async () => resultOf([found]) })).toBe(
      'Repository,Path,Revision,Commit,Line,Text,Link\r\n' +
        `acme/shop,'=cmd(),,${'c'.repeat(40)},7,"a,""b""",https://code.example.com/acme/shop/-/blob/=cmd()?L7\r\n`,
    );
    const files = csvCells.map(([path]) => file(path, { matches: [] }));
    const csv = await open('/search?q=cart&format=csv', { find: async () => resultOf(files) });
    for (const [, written] of csvCells) expect(csv).toContain(`\r\nacme/shop,${written},,${'c'.repeat(40)},`);
  });
});

describe('suggestions', () => {
  const symbols = {
    search: async () => ({
      files: [
        {
          repo: 'acme/shop.js',
          path: 'a.ts',
          chunks: [{ startLine: 3, endLine: 3, lines: ['  class Repoint'] }],
          places: [{ line: 3, kind: 'class' }],
        },
      ],
      matchCount: 1,
      limitHit: false,
      notes: [],
    }),
  };
  const find = async () => resultOf([file('src/repo.ts')], { type: 'path' });
  const suggested = async (text: string, more: Record<string, string> = {}): Promise<unknown> =>
    JSON.parse(await open(`/search/suggest?${new URLSearchParams({ q: text, ...more })}`, { find, symbols }));
  const titles = async (...asked: Parameters<typeof suggested>): Promise<string[]> => {
    const { suggestions } = (await suggested(...asked)) as { suggestions: { kind: string; title: string }[] };
    return suggestions.map(({ kind, title }) => `${kind} ${title}`);
  };

  it('of a word are filters, repositories and files, and apart from them names, which take longer', async () => {
    expect(await titles('lang:go rep')).toEqual(['filter repo:', 'file src/repo.ts']);
    expect(await titles('lang:go rep', { of: 'symbols' })).toEqual(['symbol class Repoint']);
    expect(await titles('lang:go', { of: 'symbols' })).toEqual([]);
    expect(await suggested('shop')).toMatchObject({
      word: 'shop',
      suggestions: expect.arrayContaining([{ kind: 'repository', title: 'acme/shop.js', href: '/acme/shop.js' }]),
    });
  });

  it.each([
    ['a -repo:SHOP', '-repo:^acme/shop\\.js$ '],
    ['l:typ', 'l:typescript '],
    ['type:sy', 'type:symbol '],
    ['case:', 'case:yes '],
    ['lang:go file:src', String.raw`file:^src/ `],
    ['file:src/re', String.raw`file:^src/repo\.ts$ `],
    ['lang:go -f:repo', String.raw`-f:^src/repo\.ts$ `],
  ])('complete %j', async (text, insert) => {
    expect(await suggested(text)).toMatchObject({
      suggestions: expect.arrayContaining([expect.objectContaining({ insert })]),
    });
  });

  it('of author: are people, and of rev: branches and tags, of the repository that the query names', async () => {
    const by = (name: string) => ({ author: { name, email: 'a@example.com' } });
    const history = {
      commits: async (_caller: unknown, asked: { repositories: readonly string[]; authors: readonly string[] }) => ({
        results: asked.repositories.includes('acme/shop') ? [by('Bo'), by('Ada "L." King'), by('Bo')] : [],
      }),
    };
    const refs = ['old-main', 'main'].map((name) => ({ name }));
    const repositories = {
      list: async () => [{ name: 'acme/shop' }, { name: 'other' }],
      open: async (_caller: unknown, name: string) => ({
        listRefs: async () => ({ refs: name === 'other' ? [] : refs }),
      }),
    };
    const inserts = async (q: string): Promise<string[]> => {
      const text = await open(`/search/suggest?${new URLSearchParams({ q })}`, { history, repositories });
      return (JSON.parse(text) as { suggestions: { insert: string }[] }).suggestions.map(({ insert }) => insert);
    };
    const named = String.raw`type:commit repo:^acme/shop$ `;
    expect(await inserts(`${named}author:`)).toEqual(['author:Bo ', String.raw`author:"Ada .L\.. King" `]);
    expect(await inserts('repo:other author:')).toEqual([]);
    expect(await inserts(`${named}rev:ma`)).toEqual(['rev:main ', 'rev:old-main ']);
    expect(await inserts('rev:ma')).toEqual([]);
  });

  it.each(['', 'a', 'nope:x', 'repo:nowhere', '"a', '/a/', 'rev:main'])('of %j are none', async (text) => {
    expect(await suggested(text)).toMatchObject({ suggestions: [] });
  });
});

function cutLines(count: number): string {
  return `[${count} lines of this hunk are not shown]`;
}
