import { join } from 'node:path';
import { GitStore, IndexStates, Repositories, Search } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { Patterns } from '@sextant/library-block-index';
import { CommitFiles } from './commit-files.ts';
import { config } from './config.ts';
import { Matcher } from './matcher.ts';
import { ZoektSearch } from './search-service.ts';
import { VisibleStates } from './visible-states.ts';
import { ZoektIndex } from './zoekt-index.ts';

export default definePlugin({
  name: 'service-search-zoekt',
  config,
  dataFiles: [{ path: 'search-zoekt', isRebuilt: true }],
  needs: { store: GitStore, repositories: Repositories },
  provides: { search: Search, states: IndexStates },
  async start(settings, { store, repositories }, { dataFolder, log }) {
    const files = new CommitFiles(settings.maxFileBytes);
    const index = new ZoektIndex({ store, files, folder: join(dataFolder, 'search-zoekt'), settings, log });
    const matcher = new Matcher();
    return {
      search: {
        value: new ZoektSearch({ repositories, store, index, files, patterns: new Patterns(), matcher, settings }),
        ready: () => index.start(),
        status: () => index.status(),
        close: async () => {
          await matcher.close();
          await index.close();
        },
      },
      states: { value: new VisibleStates(repositories, index) },
    };
  },
});
