import { parseQuery } from '@sextant/contracts';
import type { Symbols } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { keywordSearch } from './index.ts';

const search = vi.fn<Symbols['search']>();
const links = { file: (target: object): string => JSON.stringify(target) };
const run = (query: string): ReturnType<typeof runTool> =>
  runTool(keywordSearch, { input: { query }, services: { symbols: { search }, links } });

test('type:symbol is answered by the service that knows definitions', async () => {
  const file = {
    repo: 'shop',
    path: 'a.ts',
    revision: 'v1',
    chunks: [{ startLine: 3, endLine: 3, lines: ['function parse() {}'] }],
    places: [{ line: 3, kind: 'function' }],
  };
  search.mockResolvedValueOnce({ files: [file], matchCount: 1, limitHit: false, notes: [] });
  const { structured, text } = await run('type:symbol parse');
  expect(search.mock.lastCall?.[1]).toEqual({ ...parseQuery('type:symbol parse'), limit: 15 });
  const url = '{"repo":"shop","path":"a.ts","revision":"v1","startLine":3,"endLine":3}';
  const chunks = [{ startLine: 3, endLine: 3, content: '3: function parse() {}' }];
  const block = { type: 'symbol', repo: 'shop', file: 'a.ts', rev: 'v1', url, chunks };
  expect(structured).toEqual({ blocks: [block], matchCount: 1, limitHit: false });
  expect(text).toBe('# shop@v1 – a.ts\n3: function parse() {}');
});

test('each file says how many definitions match in it', async () => {
  const file = { repo: 'shop', path: 'a.ts', chunks: [], places: [{ line: 3, kind: 'function' }], matchCount: 4 };
  search.mockResolvedValueOnce({ files: [file], matchCount: 4, limitHit: true, notes: [] });
  const { structured, text } = await run('type:symbol parse');
  expect(structured).toMatchObject({ blocks: [{ matchCount: 4, matchesShown: 1 }] });
  expect(text).toMatch(/^# shop – a\.ts \(1 of 4 matches\)/);
});

test('what was cut, and what is to be known of it, is said', async () => {
  search.mockResolvedValueOnce({ files: [], matchCount: 0, limitHit: true, notes: ['a note'] });
  expect((await run('type:symbol parse')).text).toMatch(
    /^No matches\.\n\n\[a note\]\n\n\[Not all was searched, as said above/,
  );
});
