import { parseQuery } from '@sextant/contracts';
import type { Search } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { keywordSearch } from './index.ts';

const find = vi.fn<Search['find']>();
const links = { file: (): string => 'link' };

test('at most 15 files × 3 chunks × 512 characters, lines cut at 256, are asked for; 1024 where count: asks for more', async () => {
  find.mockResolvedValue({ type: 'file', files: [], matchCount: 0, fileCount: 0, limitHit: false, notes: [] });
  const { text } = await runTool(keywordSearch, { input: { query: 'a' }, services: { search: { find }, links } });
  expect(text).toBe('No matches.');
  const limits = { files: 15, chunksPerFile: 3, chunkCharacters: 512, lineCharacters: 256 };
  const request = { ...parseQuery('a'), mode: 'keyword', limits: { ...limits, linesShownWhole: 30 } };
  expect(find).toHaveBeenLastCalledWith(expect.anything(), request, expect.any(AbortSignal));
  await runTool(keywordSearch, { input: { query: 'a count:16' }, services: { search: { find }, links } });
  expect(find.mock.lastCall?.[1].limits).toEqual({ ...limits, chunkCharacters: 1024, characters: 48_000 });
});

test('a query is required, and at most 8192 characters', async () => {
  const run = (input: object): Promise<unknown> =>
    runTool(keywordSearch, { input, services: { search: { find }, links } });
  await expect(run({})).rejects.toMatchObject({ code: 'invalid_argument' });
  await expect(run({ query: 'x'.repeat(8193) })).rejects.toMatchObject({ code: 'invalid_argument' });
});
