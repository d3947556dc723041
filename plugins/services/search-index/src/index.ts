import { GitStore, IndexStates, Repositories, Search } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { commands, searchIndexer } from './commands.ts';
import { config } from './config.ts';
import { Engine } from './engine.ts';
import { VisibleStates } from './indexing/indexer.ts';
import { Patterns } from '@sextant/library-block-index';
import { inspectShards } from './shards/inspect-shards.ts';
import { SearchService } from './search-service.ts';

export default definePlugin({
  name: 'service-search-index',
  config,
  dataFiles: [{ path: 'search-index', isRebuilt: true, inspect: inspectShards }],
  needs: { store: GitStore, repositories: Repositories },
  provides: { search: Search, indexer: searchIndexer, states: IndexStates },
  commands,
  async start(settings, { store, repositories }, { dataFolder, log }) {
    const engine = new Engine({ store, dataFolder, settings, log });
    const { waitSeconds } = settings;
    const search = new SearchService({ repositories, store, engine, patterns: new Patterns(), waitSeconds });
    return {
      search: {
        value: search,
        ready: async () => engine.start(),
        status: () => engine.status(),
        close: () => engine.close(),
      },
      indexer: { value: engine.indexer },
      states: { value: new VisibleStates(repositories, engine) },
    };
  },
});
