import { join } from 'node:path';
import { GitStore, History, Repositories } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { config } from './config.ts';
import { Contributors } from './contributors/contributors.ts';
import { HistoryService } from './history-service.ts';
import { ChangeIndex } from './index/change-index.ts';
import { Patterns } from './request/patterns.ts';

export default definePlugin({
  name: 'service-history-index',
  config,
  needs: { store: GitStore, repositories: Repositories },
  provides: { history: History },
  async start(settings, { store, repositories }, { dataFolder, log }) {
    const patterns = new Patterns();
    const contributors = new Contributors(store, patterns);
    const changes = new ChangeIndex({ store, folder: join(dataFolder, 'history-index'), log });
    return {
      history: {
        value: new HistoryService({ repositories, store, patterns, contributors, changes, settings }),
        ready: async () => changes.start(),
        status: () => changes.status(),
        close: () => changes.close(),
      },
    };
  },
});
