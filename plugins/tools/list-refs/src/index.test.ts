import type { RefFilter, RefList } from '@sextant/contracts';
import { oneRepository } from '@sextant/contracts/testing';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { listRefs } from './index.ts';

const refs: RefList['refs'] = [
  { name: 'main', type: 'branch', commit: 'a'.repeat(40), isDefault: true, date: '2026-01-02T03:04:05Z' },
  { name: 'v1', type: 'tag', commit: 'b'.repeat(40), isDefault: false, date: '2025-01-02T03:04:05Z' },
];

const listing = vi.fn<(filter: RefFilter) => Promise<RefList>>();
const list = (input: object = {}, hasMore = false): Promise<ToolAnswer> => {
  listing.mockResolvedValue({ refs, hasMore });
  return runTool(listRefs, {
    input: { repo: 'shop', ...input },
    services: { repositories: oneRepository({ listRefs: listing }) },
  });
};

test('refs arrive as they are, and one line each for a model', async () => {
  const { structured, text } = await list();
  expect(structured).toEqual({ refs, hasMoreResults: false });
  expect(text).toBe('branch main (default) aaaaaaaaaaaa 2026-01-02\ntag v1 bbbbbbbbbbbb 2025-01-02');
});

test.each([
  [{}, ['branch', 'tag']],
  [{ tagsOnly: true }, ['tag']],
  [{ headsOnly: true }, ['branch']],
  [{ tagsOnly: true, headsOnly: true }, ['branch', 'tag']],
])('%j asks for %j: neither flag or both flags mean branches and tags', async (flags, types) => {
  await list(flags);
  expect(listing).toHaveBeenLastCalledWith({ types, limit: 100 }, expect.any(AbortSignal));
});

test('the commit and the limit are passed on', async () => {
  await list({ containsCommit: 'main~1', limit: 500 });
  expect(listing).toHaveBeenLastCalledWith(
    { types: ['branch', 'tag'], limit: 500, containsCommit: 'main~1' },
    expect.any(AbortSignal),
  );
});

test.each([0, 501])('a limit of %d is out of range', async (limit) => {
  await expect(list({ limit })).rejects.toThrow(/^Argument "limit": must be at (least 1|most 500), got /);
});

test('a cut list says so and how to get the rest', async () => {
  const { structured, text } = await list({}, true);
  expect(structured['hasMoreResults']).toBe(true);
  expect(text.split('\n').at(-1)).toBe('[only the first 2; raise limit, or ask for tags or branches only]');
});

test('what the list lacks is told below it, with the name of the repository', async () => {
  listing.mockResolvedValue({ refs, hasMore: false, notes: ['One ref is left out.'] });
  const { structured, text } = await runTool(listRefs, {
    input: { repo: 'shop' },
    services: { repositories: oneRepository({ listRefs: listing }) },
  });
  expect(structured['notes']).toEqual(['shop: One ref is left out.']);
  expect(text.split('\n').at(-1)).toContain('shop: One ref is left out.');
});
