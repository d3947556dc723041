import { parseQuery } from '@sextant/contracts';
import type { Search } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { nlsSearch } from './index.ts';

const find = vi.fn<Search['find']>();
const links = { file: (): string => 'link' };

test('at most 15 files × 3 chunks × 512 characters, lines cut at 256, are asked for; 1024 where count: asks for more', async () => {
  find.mockResolvedValue({ type: 'file', files: [], matchCount: 0, fileCount: 0, limitHit: false, notes: [] });
  const { text } = await runTool(nlsSearch, { input: { query: 'a' }, services: { search: { find }, links } });
  expect(text).toBe('No matches.');
  const limits = { files: 15, chunksPerFile: 3, chunkCharacters: 512, lineCharacters: 256 };
  const request = { ...parseQuery('a'), mode: 'natural', limits };
  expect(find).toHaveBeenLastCalledWith(expect.anything(), request, expect.any(AbortSignal));
  await runTool(nlsSearch, { input: { query: 'a count:16' }, services: { search: { find }, links } });
  expect(find.mock.lastCall?.[1].limits).toEqual({ ...limits, chunkCharacters: 1024, characters: 48_000 });
});

test('a query is required, and at most 8192 characters', async () => {
  const run = (input: object): Promise<unknown> => runTool(nlsSearch, { input, services: { search: { find }, links } });
  await expect(run({})).rejects.toMatchObject({ code: 'invalid_argument' });
  await expect(run({ query: 'x'.repeat(8193) })).rejects.toMatchObject({ code: 'invalid_argument' });
});

test('an argument limit, as other tools have it, stands for count:', async () => {
  const asked = async (input: object): Promise<unknown> => {
    await runTool(nlsSearch, { input, services: { search: { find }, links } });
    return find.mock.lastCall?.[1].options.count;
  };
  expect(await asked({ query: 'a', limit: 20 })).toBe(20);
  expect(await asked({ query: 'a count:all', limit: 20 })).toBe('all');
  expect(await asked({ query: 'a' })).toBeUndefined();
});

test('an argument repo, as other tools have it, stands for repo:', async () => {
  await runTool(nlsSearch, { input: { query: 'a', repo: 'shop' }, services: { search: { find }, links } });
  expect(find.mock.lastCall?.[1].query).toEqual({
    kind: 'and',
    children: [{ kind: 'repo', pattern: '^shop$' }, parseQuery('a').query],
  });
});
