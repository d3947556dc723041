import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Search } from '@sextant/contracts';
import { configuredRepositories } from '@sextant/contracts/testing';
import type { ServedRepositories } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import plugin from '../index.ts';

export interface SearchedRepositories extends ServedRepositories {
  readonly settings?: object;
}

/** The service with real git, on a data folder below `folder`. */
export async function startSearch({
  settings,
  ...served
}: SearchedRepositories): Promise<StartedPlugins & { readonly search: Search }> {
  const dataFolder = join(served.folder, 'data');
  mkdirSync(dataFolder, { recursive: true });
  const started = await startPlugins(dataFolder, [
    [git, { repositories: configuredRepositories(served) }],
    [plugin, { ...settings }],
  ]);
  return { ...started, ...started.services.resolve({ search: Search }) };
}
