import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { Repositories, Search } from '@sextant/contracts';
import { configuredRepositories } from '@sextant/contracts/testing';
import type { ServedRepositories } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import plugin from '../index.ts';

export interface StartedSearch extends StartedPlugins {
  readonly search: Search;
  readonly repositories: Repositories;
}

export interface SearchedRepositories extends ServedRepositories {
  readonly settings?: object;
  /** Another engine with its settings. */
  readonly engine?: Parameters<typeof startPlugins>[1][number];
  /** Folders whose objects served repositories may borrow. */
  readonly sharedObjectStores?: readonly string[];
}

/** The service, or another engine, with real git, on a data folder below `folder`. */
export async function startSearch({
  settings,
  engine = [plugin, { threads: 2, memoryBytes: 256 << 20, ...settings }],
  sharedObjectStores = [],
  ...served
}: SearchedRepositories): Promise<StartedSearch> {
  const dataFolder = join(served.folder, 'data');
  mkdirSync(dataFolder, { recursive: true });
  const started = await startPlugins(dataFolder, [
    [git, { repositories: configuredRepositories(served), sharedObjectStores, watchSeconds: 0.1 }],
    engine,
  ]);
  return { ...started, ...started.services.resolve({ search: Search, repositories: Repositories }) };
}
