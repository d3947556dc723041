import type { Repositories, RepositoryInfo } from '@sextant/contracts';
import { runTool } from '@sextant/core/testing';
import type { ToolAnswer } from '@sextant/core/testing';
import { describe, expect, test } from 'vitest';
import { listRepos } from './index.ts';

const infoOf = (name: string, change: Partial<RepositoryInfo> = {}): RepositoryInfo => ({
  name,
  description: '',
  isPrivate: false,
  isArchived: false,
  isFork: false,
  defaultBranch: 'main',
  ...change,
});

const known = [
  infoOf('acme/Shop', { description: 'Sells\nthings', isPrivate: true }),
  infoOf('acme/old-shop', { isArchived: true, isFork: true, defaultBranch: '' }),
  infoOf('lib'),
];

function list(input: object): Promise<ToolAnswer> {
  const repositories: Repositories = {
    list: async () => known,
    open: () => Promise.reject(new Error('nobody opens one')),
  };
  return runTool(listRepos, { input, services: { repositories } });
}

test('a query is a part of the name in any case', async () => {
  const { structured, text } = await list({ query: 'SHOP' });
  expect(structured).toEqual({
    repositories: [
      {
        name: 'acme/Shop',
        description: 'Sells\nthings',
        private: true,
        archived: false,
        fork: false,
        defaultBranch: 'main',
      },
      { name: 'acme/old-shop', description: '', private: false, archived: true, fork: true, defaultBranch: '' },
    ],
    hasMoreResults: false,
  });
  expect(text).toBe('acme/Shop (main) – Sells things\nacme/old-shop (fork, archived)');
});

test('an empty query lists all, and a query is no pattern', async () => {
  expect((await list({ query: '' })).structured['repositories']).toHaveLength(3);
  expect((await list({ query: '.*' })).text).toBe(
    'No repository that you may read has this in its name. An empty query lists all.',
  );
});

describe('limit', () => {
  test('cuts, and the answer says how to get the rest', async () => {
    const { structured, text } = await list({ query: '', limit: 2 });
    expect(structured).toMatchObject({ hasMoreResults: true });
    expect(text.split('\n').at(-1)).toBe('[only the first 2; narrow the query or raise limit]');
    expect((await list({ query: '', limit: 3 })).structured['hasMoreResults']).toBe(false);
  });

  test.each([0, 10_001, 1.5])('%d is out of range', async (limit) => {
    await expect(list({ query: '', limit })).rejects.toThrow(/^Argument "limit": must be /);
  });
});

test('the query is required', async () => {
  await expect(list({})).rejects.toThrow('Missing argument "query". Valid arguments: query (required), limit.');
});
