import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Researcher } from '@sextant/contracts';
import { configuredRepositories } from '@sextant/contracts/testing';
import type { ServedRepositories } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import search from '@sextant/service-search-index';
import type { z } from 'zod';
import type { config } from '../config.ts';
import plugin from '../index.ts';

export interface StartedResearcher extends StartedPlugins {
  readonly researcher: Researcher;
}

/** The service with real git and a real index. */
export async function startResearcher(
  served: ServedRepositories,
  settings: Partial<z.input<typeof config>> = {},
): Promise<StartedResearcher> {
  const dataFolder = join(served.folder, 'data');
  mkdirSync(dataFolder, { recursive: true });
  const started = await startPlugins(dataFolder, [
    [git, { repositories: configuredRepositories(served) }],
    [search, { threads: 1, memoryBytes: 256 << 20 }],
    [plugin, settings],
  ]);
  return { ...started, ...started.services.resolve({ researcher: Researcher }) };
}
