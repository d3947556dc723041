import { join } from 'node:path';
import { definePlugin } from '@sextant/core';
import { Fetches, GitStore, Links, Repositories } from '@sextant/contracts';
import { Catalog } from './catalog.ts';
import { Clones } from './clones.ts';
import { config } from './config.ts';
import { GitFetches } from './fetches.ts';
import { GitProgram } from './git-process.ts';
import { GitRepositories } from './git-repositories.ts';
import { CatalogStore } from './git-store.ts';
import { HeadCommits } from './head-commits.ts';
import { PageLinks } from './page-links.ts';
import { openReaders } from './readers.ts';
import { Precedence } from './precedence.ts';
import { RefWatch } from './ref-watch.ts';
import { fetchWebhook } from './webhook.ts';

export default definePlugin({
  name: 'service-git',
  config,
  topLevel: ['repositories'],
  provides: { repositories: Repositories, store: GitStore, links: Links, fetches: Fetches },
  pages: [fetchWebhook],
  async start(settings, _services, { log, dataFolder, configFolder, externalURL }) {
    const { clonesAtOnce: atOnce, cloneSeconds: seconds, fetchSeconds: interval } = settings;
    const clones = new Clones({ root: join(dataFolder, 'clones'), atOnce, seconds, interval, log });
    const limits = { depth: settings.scanDepth, folders: settings.scanFolders };
    const catalog = await Catalog.open({ repositories: settings.repositories, configFolder, limits, clones, log });
    const readers = openReaders(settings, log);
    const repositories = new GitRepositories(catalog, readers);
    const fetches = new GitFetches({ catalog, clones, repositories, log });
    const watch = new RefWatch({ catalog, seconds: settings.watchSeconds, log });
    const { commandSeconds: commandTime, silentSeconds, outputBytes } = settings;
    const programs = { processes: settings.indexCommandsAtOnce, seconds: commandTime, silentSeconds, outputBytes };
    const treeLimits = {
      entries: settings.treeEntries,
      pathBytes: settings.treePathBytes,
      bytes: outputBytes,
      seconds: settings.treeSeconds,
    };
    const [git, background] = [new GitProgram(programs), new GitProgram(programs)];
    const { revisions, refCommits, objects } = readers;
    const precedence = new Precedence();
    const heads = new HeadCommits();
    const parts = { catalog, git, background, precedence, revisions, refCommits, objects, heads, watch, treeLimits };
    const store = new CatalogStore(parts);
    const rescans = setInterval(() => void fetches.rescan(), interval * 1000).unref();
    return {
      repositories: {
        value: repositories,
        ready: () => clones.start(),
        status: () => statusOf(catalog, clones),
        close: async () => {
          clearInterval(rescans);
          await clones.close();
          readers.close();
        },
      },
      store: { value: store, close: async () => watch.close() },
      links: { value: new PageLinks(externalURL) },
      fetches: { value: fetches },
    };
  },
});

function statusOf(catalog: Catalog, clones: Clones): { isReady: boolean; detail: Record<string, number> } {
  const cloning = clones.count('cloning');
  const failed = clones.count('failed');
  return { isReady: cloning + failed === 0, detail: { repositories: catalog.all().length, cloning, failed } };
}
