import { GitStore, Links, Repositories, Researcher, Search, Symbols } from '@sextant/contracts';
import { RepositoryResearch, ResearchNodes } from '@sextant/contracts/nodes';
import { definePlugin, optional } from '@sextant/core';
import { config } from './config.ts';
import { OwnRepositories } from './locate/own-repositories.ts';
import { PastCommits } from './repository/past-commits.ts';
import { Texts } from './repository/texts.ts';
import { Trees } from './repository/trees.ts';
import { WarmUp } from './repository/warm-up.ts';
import { ResearchService } from './research-service.ts';
import { ResearchThreads } from './threads/research-threads.ts';

export default definePlugin({
  name: 'service-researcher',
  config,
  needs: {
    store: GitStore,
    repositories: Repositories,
    search: Search,
    symbols: optional(Symbols),
    links: Links,
    nodes: optional(ResearchNodes),
  },
  provides: { researcher: Researcher, own: RepositoryResearch },
  async start(settings, { store, nodes, links, symbols, ...services }, { log }) {
    const { maxCalls, maxSeconds, pastCommits: commits, cachedCommits: cached, threads: count, stepMs } = settings;
    const pastCommits = new PastCommits(store, { commits, cached });
    const threads = new ResearchThreads({ threads: count, stepMs });
    const sources = {
      threads,
      texts: new Texts(store, settings.cachedCharacters),
      trees: new Trees(store, settings.cachedPaths),
      pastCommits,
    };
    const warmUp = new WarmUp({ store, pastCommits, log });
    const own = new OwnRepositories({ ...services, ...sources, symbols });
    const limits = { maxCalls, maxSeconds };
    const researcher = new ResearchService({ ...services, threads, links, limits, research: nodes ?? own });
    const close = async (): Promise<void> => {
      await warmUp.close();
      await threads.close();
    };
    const shed = (): void => {
      for (const cache of [sources.texts, sources.trees, pastCommits]) cache.forget();
    };
    return {
      researcher: { value: researcher, ready: async () => warmUp.start(), shed, close },
      own: { value: own },
    };
  },
});
