import { join } from 'node:path';
import { definePlugin } from '@sextant/core';
import { Repositories } from '@sextant/contracts';
import { Catalog } from './catalog.ts';
import { Clones } from './clones.ts';
import { Comparer } from './comparer.ts';
import { config } from './config.ts';
import { GitProgram } from './git-process.ts';
import { GitRepositories } from './git-repositories.ts';
import { ObjectReader } from './object-reader.ts';
import { RefLister } from './ref-lister.ts';
import { RevisionResolver } from './revision-resolver.ts';
import { TextReader } from './text-reader.ts';
import { TreeReader } from './tree-reader.ts';

export default definePlugin({
  name: 'service-git',
  config,
  topLevel: ['repositories'],
  provides: { repositories: Repositories },
  async start(settings, _services, { log, dataFolder, configFolder }) {
    const git = new GitProgram({ processes: settings.commandsAtOnce, seconds: settings.commandSeconds });
    const objects = new ObjectReader({ processes: settings.readers, idleSeconds: settings.readerIdleSeconds });
    const clones = new Clones(join(dataFolder, 'clones'));
    const limits = { depth: settings.scanDepth, folders: settings.scanFolders };
    const catalog = await Catalog.open({ repositories: settings.repositories, configFolder, limits, clones, log });
    const trees = new TreeReader(objects, Math.floor(settings.cacheBytes / 4));
    const repositories = new GitRepositories(catalog, {
      revisions: new RevisionResolver(objects),
      trees,
      texts: new TextReader(objects, trees, Math.floor(settings.cacheBytes / 2)),
      refs: new RefLister(git, objects),
      comparer: new Comparer(git, objects, Math.floor(settings.cacheBytes / 8)),
    });
    return { repositories: { value: repositories, close: async () => objects.close() } };
  },
});
