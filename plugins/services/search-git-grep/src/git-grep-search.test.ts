import { join } from 'node:path';
import { defaultSearchLimits } from '@sextant/contracts';
import type { Search, SearchResult } from '@sextant/contracts';
import { RepositoryBuilder, temporaryFolder } from '@sextant/contracts/testing';
import type { FileContent } from '@sextant/contracts/testing';
import { callerOf } from '@sextant/core/testing';
import { describe, expect, test } from 'vitest';
import { startSearch } from './testing/start-search.ts';

const { signal } = new AbortController();
const find = (search: Search, query: string): Promise<SearchResult> =>
  search.find(callerOf('alice'), { query, mode: 'keyword', limits: defaultSearchLimits }, signal);
const paths = ({ files }: SearchResult): string[] => files.map(({ path }) => path);

async function withFiles(
  { files, settings = {} }: { files: Record<string, FileContent>; settings?: object },
  check: (search: Search, builder: RepositoryBuilder) => Promise<void>,
): Promise<void> {
  using folder = temporaryFolder();
  const builder = new RepositoryBuilder({ folder: join(folder.path, 'shop.git'), isBare: true });
  builder.commit({ files });
  await using served = await startSearch({ folder: folder.path, repositories: { shop: builder.folder }, settings });
  await check(served.search, builder);
}

const everyEncoding = {
  '.gitattributes': '*.dat binary\n*.ts -diff\n',
  'a.ts': 'parseConfig of é\n',
  'needle.txt': 'nothing\n',
  'utf16.dat': Buffer.from('\ufeffa needle in utf-16\n', 'utf16le'),
  'latin1.txt': Buffer.from('a NEEDLE caf\u00e9\n', 'latin1'),
  'both.ts': 'needle\nparseConfig\n',
  'binary.dat': 'needle\0',
  'two-lines.txt': 'end of one\nneedle begins two\n',
};

describe('what git proposes leaves nothing out', () => {
  test('of any query: as when every file is read', () =>
    withFiles({ files: everyEncoding, settings: { grepFromBytes: 0 } }, async (proposed, builder) => {
      // A repository may say how git prints.
      builder.git('config', 'color.grep', 'always');
      builder.git('config', 'grep.patternType', 'perl');
      await withFiles({ files: everyEncoding }, async (read) => {
        for (const query of queries) {
          const [a, b] = [await find(proposed, query), await find(read, query)];
          expect(a, query).toEqual(b);
        }
      });
    }));

  test('of a phrase', () =>
    withFiles({ files: everyEncoding, settings: { grepFromBytes: 0 } }, async (search) => {
      expect(paths(await find(search, '"a needle"')).sort()).toEqual(['latin1.txt', 'utf16.dat']);
      expect(paths(await find(search, 'absent'))).toEqual([]);
    }));
});

const queries = [
  'needle',
  'needle case:yes',
  'needle parseConfig',
  'needle OR parseConfig',
  'café OR parse',
  'needle -parse',
  '-needle',
  '(needle OR é) nothing',
  '"one\nneedle"',
  '/need.e/ parseConfig',
  'needle type:path',
];

test('a phrase may reach over a line end, and marks its part of each line', () =>
  withFiles({ files: everyEncoding }, async (search) => {
    const [file] = (await find(search, '"one\nneedle"')).files;
    expect(file).toMatchObject({ path: 'two-lines.txt', matchCount: 2 });
    expect(file?.matches).toEqual([
      { line: 1, text: 'end of one', ranges: [[7, 10]] },
      { line: 2, text: 'needle begins two', ranges: [[0, 6]] },
    ]);
  }));

test('the best first: a definition before a use, source before tests', () => {
  const files = {
    'a.test.ts': 'function cart() {}\n',
    'b.ts': 'cart();\n',
    'c.ts': 'export function cart() {\n',
    'd.ts': 'cartography\n',
  };
  return withFiles({ files }, async (search) => {
    expect(paths(await find(search, 'cart'))).toEqual(['c.ts', 'a.test.ts', 'b.ts', 'd.ts']);
  });
});

describe('lines are cut at 256', () => {
  const files = {
    'long.txt': `${'😀'.repeat(500)}xneedle${'y'.repeat(900)}\n`,
    'start.txt': `needle${'x'.repeat(900)}\n`,
  };

  test('around the match, in whole characters', () =>
    withFiles({ files }, async (search) => {
      for (const { chunks, matches } of (await find(search, 'needle case:yes')).files) {
        const [match] = matches;
        expect(chunks[0]?.lines).toEqual([match?.text]);
        expect(match?.text.length).toBeLessThanOrEqual(256);
        expect(match?.text.isWellFormed()).toBe(true);
        const [start, end] = match?.ranges[0] ?? [0, 0];
        expect(match?.text.slice(start, end)).toBe('needle');
      }
    }));
});

describe('an expression that would take for ever', () => {
  const files = { 'a.txt': `${'a'.repeat(40)}b\n` };

  test('ends in time, and the next search is answered', () =>
    withFiles({ files, settings: { seconds: 3, threads: 1 } }, async (search) => {
      await expect(find(search, '/(a+)+$/')).rejects.toMatchObject({ code: 'timeout' });
      expect(paths(await find(search, '/a+b/'))).toEqual(['a.txt']);
    }));

  test('ends when the caller leaves; those who wait for the thread get it', () =>
    withFiles({ files, settings: { threads: 1 } }, async (search) => {
      const leaving = new AbortController();
      const request = { query: '/(a+)+$/', mode: 'keyword', limits: defaultSearchLimits } as const;
      const hostile = search.find(callerOf('mallory'), request, leaving.signal);
      const others = ['/a+b/', 'a'].map((query) => find(search, query));
      leaving.abort(new Error('gone'));
      await expect(hostile).rejects.toThrow('gone');
      for (const other of others) expect(paths(await other)).toEqual(['a.txt']);
    }));
});

test('searches of one caller leave a thread to others', () =>
  withFiles({ files: { 'a.txt': `${'a'.repeat(40)}b\n` }, settings: { threads: 2 } }, async (search) => {
    const leaving = new AbortController();
    const request = { query: '/(a+)+$/', mode: 'keyword', limits: defaultSearchLimits } as const;
    const mallory = callerOf('mallory', { id: 2 });
    const hostile = [1, 2, 3].map(() => search.find(mallory, request, leaving.signal));
    const ended = Promise.allSettled(hostile);
    expect(paths(await find(search, '/a+b/'))).toEqual(['a.txt']);
    leaving.abort(new Error('gone'));
    for (const { status } of await ended) expect(status).toBe('rejected');
  }));

test('a question is refused with what to do instead', () =>
  withFiles({ files: everyEncoding }, async (search) => {
    const request = { query: 'where is the needle', mode: 'natural', limits: defaultSearchLimits } as const;
    await expect(search.find(callerOf('alice'), request, signal)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('keyword_search'),
    });
  }));

test('lang: is by file name', () =>
  withFiles({ files: everyEncoding }, async (search) => {
    expect(paths(await find(search, 'lang:typescript parseConfig')).sort()).toEqual(['a.ts', 'both.ts']);
    expect(paths(await find(search, '-lang:typescript parseConfig'))).toEqual([]);
  }));

test('a file over the limit is found by its name only', () =>
  withFiles(
    {
      files: { 'needle.txt': 'x'.repeat(2000), 'b.txt': `${'x'.repeat(2000)}needle` },
      settings: { maxFileBytes: 1024 },
    },
    async (search) => {
      expect(paths(await find(search, 'needle'))).toEqual(['needle.txt']);
    },
  ));
