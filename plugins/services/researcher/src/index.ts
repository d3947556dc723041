import { GitStore, Links, Repositories, Researcher, Search, Symbols } from '@sextant/contracts';
import { definePlugin, optional } from '@sextant/core';
import { config } from './config.ts';
import { PastCommits } from './repository/past-commits.ts';
import { Texts } from './repository/texts.ts';
import { Trees } from './repository/trees.ts';
import { WarmUp } from './repository/warm-up.ts';
import { ResearchService } from './research-service.ts';

export default definePlugin({
  name: 'service-researcher',
  config,
  needs: { store: GitStore, repositories: Repositories, search: Search, symbols: optional(Symbols), links: Links },
  provides: { researcher: Researcher },
  async start(settings, { store, ...services }, { log }) {
    const { maxCalls, maxSeconds, pastCommits: commits, cachedCommits: cached } = settings;
    const pastCommits = new PastCommits(store, { commits, cached });
    const sources = {
      texts: new Texts(store, settings.cachedCharacters),
      trees: new Trees(store, settings.cachedPaths),
      pastCommits,
    };
    const warmUp = new WarmUp({ store, pastCommits, log });
    const researcher = new ResearchService({ ...services, ...sources, limits: { maxCalls, maxSeconds } });
    return { researcher: { value: researcher, ready: async () => warmUp.start(), close: () => warmUp.close() } };
  },
});
