import { join } from 'node:path';
import { GitStore, IndexStates, Repositories, Search } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { commands, searchIndexer } from './commands.ts';
import { config } from './config.ts';
import { Indexer } from './index/indexer.ts';
import { SharedIndex } from './index/shared-index.ts';
import { VisibleStates } from './index/visible-states.ts';
import { Patterns } from './query/patterns.ts';
import { QueryThreads } from './query/query-threads.ts';
import { SearchService } from './search-service.ts';

export default definePlugin({
  name: 'service-search-index',
  config,
  needs: { store: GitStore, repositories: Repositories },
  provides: { search: Search, indexer: searchIndexer, states: IndexStates },
  commands,
  async start(settings, { store, repositories }, { dataFolder, log }) {
    const shared = new SharedIndex(settings.memoryBytes);
    const threads = new QueryThreads(await shared.open(settings.threads), log);
    const indexer = new Indexer({ store, shared, threads, folder: join(dataFolder, 'search-index'), settings, log });
    const { waitSeconds } = settings;
    const search = new SearchService({ repositories, store, indexer, threads, patterns: new Patterns(), waitSeconds });
    return {
      search: {
        value: search,
        ready: async () => indexer.start(),
        status: () => indexer.status(),
        close: async () => {
          await indexer.close();
          await threads.close();
          await shared.close();
        },
      },
      indexer: { value: indexer },
      states: { value: new VisibleStates(repositories, indexer) },
    };
  },
});
