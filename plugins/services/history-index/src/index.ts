import { join } from 'node:path';
import { GitStore, History, Repositories } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { config } from './config.ts';
import { Contributors } from './contributors.ts';
import { HistoryService } from './history-service.ts';
import { HistoryIndex } from './history-index.ts';
import { HistoryPatterns } from './request/patterns.ts';
import { SearchFailures } from './show/search-failures.ts';

export default definePlugin({
  name: 'service-history-index',
  config,
  dataFiles: [{ path: 'history-index', isRebuilt: true }],
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
        close: () => index.close(),
      },
    };
  },
});
