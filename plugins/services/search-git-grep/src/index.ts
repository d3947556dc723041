import { availableParallelism } from 'node:os';
import { GitStore, Repositories, Search } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { z } from 'zod';
import { GitGrepSearch } from './git-grep-search.ts';
import { MatchThreads } from './match-threads.ts';

const mebibyte = 1024 * 1024;

const config = z.object({
  maxFileBytes: z
    .int()
    .min(1024)
    .max(32 * mebibyte)
    .default(mebibyte)
    .describe('Larger files are found by name only'),
  grepFromBytes: z
    .int()
    .min(0)
    .default(4 * mebibyte)
    .describe('A commit with less text is read whole, without asking git grep which files can match'),
  seconds: z.int().min(1).max(60).default(50).describe('Longest time of one search'),
  threads: z.int().min(1).max(64).default(availableParallelism()).describe('Searches that run at once'),
});

export default definePlugin({
  name: 'service-search-git-grep',
  config,
  needs: { store: GitStore, repositories: Repositories },
  provides: { search: Search },
  async start(settings, { store, repositories }) {
    const threads = new MatchThreads(settings.threads);
    return {
      search: {
        value: new GitGrepSearch({ repositories, store, threads, settings }),
        close: () => threads.close(),
      },
    };
  },
});
