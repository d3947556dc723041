import { GitStore, Repositories, Search, Symbols } from '@sextant/contracts';
import { definePlugin } from '@sextant/core';
import { config } from './config.ts';
import { ParsedFiles } from './parsed-files.ts';
import { SymbolService } from './symbol-service.ts';
import { ParseThreads } from './threads/parse-threads.ts';
import { FileTrees } from './trees.ts';

export default definePlugin({
  name: 'service-symbols',
  config,
  needs: { store: GitStore, repositories: Repositories, search: Search },
  provides: { symbols: Symbols },
  async start({ threads: count, parseMs, cachedFiles, cachedPaths }, { store, repositories, search }) {
    const threads = new ParseThreads({ threads: count, limit: parseMs });
    const parsed = new ParsedFiles(threads, cachedFiles);
    const trees = new FileTrees(store, cachedPaths);
    return {
      symbols: {
        value: new SymbolService({ repositories, search, trees, parsed }),
        close: () => threads.close(),
      },
    };
  },
});
