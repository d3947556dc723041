import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Search } from '@sextant/contracts';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import plugin from '../index.ts';

export interface SearchedRepositories {
  readonly folder: string;
  /** Names, with where each is. */
  readonly repositories: Readonly<Record<string, string>>;
  /** Those that only administrators may read. */
  readonly hidden?: readonly string[];
  readonly settings?: object;
}

/** The service with real git, on a data folder below `folder`. */
export async function startSearch({
  folder,
  repositories,
  hidden = [],
  settings,
}: SearchedRepositories): Promise<StartedPlugins & { readonly search: Search }> {
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder, { recursive: true });
  const entries = Object.entries(repositories).map(([name, path]) => ({
    name,
    path,
    ...(hidden.includes(name) && { access: {} }),
  }));
  const started = await startPlugins(dataFolder, [
    [git, { repositories: entries }],
    [plugin, { ...settings }],
  ]);
  return { ...started, ...started.services.resolve({ search: Search }) };
}
