import { join } from 'node:path';
import { GitStore, History, Repositories } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { z } from 'zod';
import { Contributors } from './contributors.ts';
import { HistoryService } from './history-service.ts';
import { HistoryIndex } from './history-index.ts';
import { HistoryPatterns } from './request/patterns.ts';
import { inspectShards } from './shards/inspect-shards.ts';
import { SearchFailures } from './search-failures.ts';

const config = z.object({
  answerSeconds: z
    .number()
    .min(1)
    .max(55)
    .default(40)
    .describe('Longest time of one search; then what was found until then is answered'),
  unreachableDays: z
    .number()
    .min(0)
    .max(3650)
    .default(14)
    .describe('Days for which the index keeps commits that no branch or tag reaches any more; no search finds them'),
  indexBytes: z
    .int()
    .min(1 << 20)
    .default(2 ** 34)
    .describe(
      'Most bytes of changed lines and messages that the index keeps of one repository; for older commits git is asked',
    ),
  repositoriesAtOnce: z.int().min(1).max(64).default(4).describe('Repositories that one search looks at at once'),
});

export default definePlugin({
  name: 'service-history-index',
  config,
  dataFiles: [{ path: 'history-index', isRebuilt: true, inspect: inspectShards }],
  needs: { store: GitStore, repositories: Repositories },
  provides: { history: History },
  async start(settings, { store, repositories }, { dataFolder, log }) {
    const patterns = new HistoryPatterns();
    const { unreachableDays, indexBytes } = settings;
    const index = new HistoryIndex({
      store,
      folder: join(dataFolder, 'history-index'),
      log,
      unreachableDays,
      indexBytes,
    });
    const failures = new SearchFailures(log);
    store.onChange((name) => failures.succeeded(name));
    const contributors = new Contributors({ store, patterns, index, failures });
    return {
      history: {
        value: new HistoryService({ repositories, store, patterns, contributors, index, failures, settings }),
        ready: async () => index.start(),
        status: () => failures.addTo(index.status()),
        shed: () => contributors.forget(),
        close: () => index.close(),
      },
    };
  },
});
