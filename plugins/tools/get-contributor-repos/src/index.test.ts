import type { ContributorResult } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { expect, test, vi } from 'vitest';
import { getContributorRepos } from './index.ts';

const found: ContributorResult = {
  contributions: [
    { repo: 'shop', commits: 12, latest: '2026-01-02T03:04:05Z' },
    { repo: 'lib', commits: 1, latest: '2025-01-02T03:04:05Z' },
  ],
  isLimited: false,
  notes: [],
};
const contributors = vi.fn(async () => found);
const run = (input: object = {}): Promise<ToolAnswer> =>
  runTool(getContributorRepos, { input: { authors: ['ada'], ...input }, services: { history: { contributors } } });

test('repositories arrive as they are, and one line each for a model', async () => {
  const { structured, text } = await run();
  expect(structured).toEqual({
    repositories: [
      { repoName: 'shop', repoCommitCount: 12, repoMostRecentCommitDate: '2026-01-02T03:04:05Z' },
      { repoName: 'lib', repoCommitCount: 1, repoMostRecentCommitDate: '2025-01-02T03:04:05Z' },
    ],
    limitHit: false,
  });
  expect(text).toBe('shop: 12 commits, last 2026-01-02\nlib: 1 commit, last 2025-01-02');
});

test('authors and bounds are passed on', async () => {
  await run({ limit: 5, minCommits: 10 });
  const request = { authors: ['ada'], limit: 5, minCommits: 10 };
  expect(contributors).toHaveBeenLastCalledWith(expect.anything(), request, expect.any(AbortSignal));
});

test('a cut list says so and how to get the rest; nothing found is said', async () => {
  contributors.mockResolvedValueOnce({ ...found, isLimited: true });
  expect((await run()).text.split('\n').at(-1)).toBe('[only the first 2; raise limit or minCommits]');
  contributors.mockResolvedValueOnce({ contributions: [], isLimited: false, notes: ['slow.'] });
  expect((await run()).text).toBe('No repositories with commits of these authors.\n[slow.]');
});

test.each([
  [{ authors: [] }, /^Argument "authors": must be at least 1 value/],
  [{ authors: ['a', 'b', 'c', 'd', 'e', 'f'] }, /^Argument "authors": must be at most 5 values, got 6/],
  [{ limit: 101 }, /^Argument "limit": must be at most 100/],
  [{ minCommits: 0 }, /^Argument "minCommits": must be at least 1/],
])('%j is refused', async (input, message) => {
  await expect(run(input)).rejects.toThrow(message);
});
