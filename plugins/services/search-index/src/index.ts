import { join } from 'node:path';
import { GitStore, IndexStates, Repositories, Search } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { commands, searchIndexer } from './commands.ts';
import { config } from './config.ts';
import { divideMemory } from './index/divided-memory.ts';
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
    const memory = divideMemory(settings);
    const shared = new SharedIndex(memory.index);
    const threads = new QueryThreads(memory, log);
    const indexer = new Indexer({ store, shared, threads, folder: join(dataFolder, 'search-index'), settings, log });
    indexer.loadAhead();
    const { waitSeconds } = settings;
    const search = new SearchService({ repositories, store, indexer, threads, patterns: new Patterns(), waitSeconds });
    return {
      search: {
        value: search,
        ready: async () => {
          threads.start();
          indexer.start();
        },
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
