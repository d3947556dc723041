import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Symbols } from '@sextant/contracts';
import { configuredRepositories, symbolsConformance } from '@sextant/contracts/testing';
import type { ServeSymbols } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import search from '@sextant/service-search-index';
import { expect, it } from 'vitest';
import plugin from './index.ts';

const serve: ServeSymbols = async (options) => {
  const dataFolder = join(options.folder, '.data');
  mkdirSync(dataFolder);
  const started = await startPlugins(dataFolder, [
    [git, { repositories: configuredRepositories(options) }],
    [search, { threads: 1, memoryBytes: 64 << 20 }],
    [plugin],
  ]);
  return {
    ...started.services.resolve({ symbols: Symbols }),
    untilReady: async () => {
      await started.ready();
      const all = { repositories: Object.keys(options.repositories).length, waiting: 0 };
      await expect.poll(() => started.status()['symbols']?.detail).toMatchObject(all);
    },
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
};

it.each(symbolsConformance)('$name', ({ run }) => run(serve), 60_000);
