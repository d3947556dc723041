import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { History, Repositories } from '@sextant/contracts';
import { configuredRepositories } from '@sextant/contracts/testing';
import type { ServedRepositories } from '@sextant/contracts/testing';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import git from '@sextant/service-git';
import plugin from '../index.ts';

export interface StartedHistory extends StartedPlugins {
  readonly history: History;
  readonly repositories: Repositories;
}

export interface ServedHistory extends ServedRepositories {
  readonly settings?: object;
}

/** The service with real git, on a data folder below `folder`. */
export async function startHistory({ settings = {}, ...served }: ServedHistory): Promise<StartedHistory> {
  const dataFolder = join(served.folder, 'data');
  mkdirSync(dataFolder, { recursive: true });
  const started = await startPlugins(dataFolder, [
    [git, { repositories: configuredRepositories(served), watchSeconds: 0.1 }],
    [plugin, settings],
  ]);
  return { ...started, ...started.services.resolve({ history: History, repositories: Repositories }) };
}

/** The same when it has indexed everything. */
export async function startIndexed(served: ServedHistory): Promise<StartedHistory> {
  const started = await startHistory(served);
  await started.ready();
  while (!started.status()['history']?.isReady) await setTimeout(10);
  return started;
}
