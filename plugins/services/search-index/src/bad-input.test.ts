import { defaultSearchLimits, parseQuery } from '@sextant/contracts';
import type { SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { TemporaryFolder } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startSearch } from './testing/start-search.ts';
import type { StartedSearch } from './testing/start-search.ts';

const { signal } = new AbortController();
const half = 5_000_000;
let folder: TemporaryFolder;
let started: StartedSearch;

beforeAll(async () => {
  folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: `${folder.path}/r.git`, isBare: true });
  builder.commit({
    files: {
      'long.txt': `${'x '.repeat(half / 2)}needle${' y'.repeat(half / 2)}`,
      'end.txt': 'first line\nlast line',
      'dos.txt': 'one dos line\r\ntwo dos lines\r\n',
      'nul.txt': 'before\0behind',
      'latin.txt': Buffer.from('Gr\u00fc\u00dfe aus Latin-1\n', 'latin1'),
      'stray.txt': Buffer.from([...Buffer.from('stray '), 0xed, 0xa0, 0x80, ...Buffer.from(' surrogate\n')]),
      'letters.txt': '\u0130stanbul\nStra\u00dfe\nSTRA\u1e9eE\n5 \u212a\n\u017fmall\n',
    },
  });
  const settings = { maxFileBytes: 16 << 20 };
  started = await startSearch({ folder: folder.path, repositories: { r: builder.folder }, settings });
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const find = async (query: string): Promise<SearchResult> =>
  started.search.find(
    callerOf('alice'),
    { ...parseQuery(query), mode: 'keyword', limits: defaultSearchLimits },
    signal,
  );

/** `path:line text` of each line that is shown as a match. */
const matches = async (query: string): Promise<string[]> =>
  (await find(query)).files.flatMap(({ path, matches: lines }) =>
    lines.map(({ line, text }) => `${path}:${line} ${text}`),
  );

test('where nothing is found a text that reads like a regular expression is explained', async () => {
  expect((await find('ne{2}d.*le')).notes).toEqual([
    '"ne{2}d.*le" was looked for as it stands; write /ne{2}d.*le/ for a regular expression.',
  ]);
  expect((await find('/nee.*dle/')).notes).toEqual([]);
});

test.each([
  ['dos absent', 'Nothing matches "absent" by itself; the other parts do.'],
  ['absent /missing+/ case:yes', 'Nothing matches "absent", /missing+/ by itself.'],
  ['"first line" lang:go', 'Nothing matches lang:"go" by itself; the other parts do.'],
  [
    '"first line" "dos lines" repo:r',
    'Each part of the query matches by itself, but no file matches all of them; leave one out, or join some with OR.',
  ],
])('where nothing is found it is said which part of the query is found nowhere: %s', async (query, note) => {
  // What a busy machine does not find out in time is found out later.
  await vi.waitFor(async () => expect((await find(query)).notes).toEqual([note]), 60_000);
});

test('a line of 10 MB is found by word and by expression, and what is shown of it is short', async () => {
  for (const query of ['needle', '/need\\w+ y/', 'needle x']) {
    const [file] = (await find(query)).files;
    expect(file?.path).toBe('long.txt');
    expect(JSON.stringify(file).length).toBeLessThan(5000);
    expect(JSON.stringify(file)).toContain('needle');
  }
});

test.each([
  ['"last line"', ['end.txt:2 last line']],
  ['/line$/', ['end.txt:1 first line', 'end.txt:2 last line']],
  ['"dos lines"', ['dos.txt:2 two dos lines']],
  ['behind', []],
  ['Grüße', ['latin.txt:1 Grüße aus Latin-1']],
  ['"stray"', ['stray.txt:1 stray \u00ed\u00a0\u0080 surrogate']],
])('%s: lines without an end, with CRLF, with NUL, in Latin-1 and with what is no UTF-8', async (query, expected) => {
  expect((await matches(query)).sort()).toEqual(expected);
});

test('a text of several lines is found in its exact case with any letters, and in no path', async () => {
  expect(await matches('(case:yes "stanbul\nStraße\nSTRA")')).toEqual(['letters.txt:1 \u0130stanbul']);
  // Paths are searched one a line, in this order.
  for (const query of ['"dos.txt\nend"', '(case:yes "dos.txt\nend")']) expect((await find(query)).files).toEqual([]);
});

test.each([
  ['\u0130STANBUL', ['letters.txt:1']],
  ['istanbul', []],
  ['stra\u00dfe', ['letters.txt:2', 'letters.txt:3']],
  ['strasse', []],
  // Where nothing but ASCII is asked for, nothing else is found: else no word with a k or an s could be looked up as it is.
  ['"5 k"', []],
  ['/\u212a/', ['letters.txt:4']],
  ['small', []],
])('%s in any case is what Unicode’s simple folding makes one letter', async (query, expected) => {
  const lines = (await matches(`${query} file:letters`)).map((line) => line.split(' ')[0]);
  expect(lines).toEqual(expected);
});

test.each(['\ud800', '"a\udfffb"', '/[\ud800]/', 'a\0b', '/\\0/'])(
  '%j is answered or refused with a reason',
  async (query) => {
    const outcome = await find(query).then(
      ({ files }) => files.length,
      (error: unknown) => error,
    );
    if (outcome !== 0) expect(outcome).toMatchObject({ name: 'SextantError', code: 'invalid_argument' });
  },
);
