import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { silentLogger } from '@sextant/core';
import type { Caller, Logger, PluginContext } from '@sextant/core';
import { Repositories } from '@sextant/contracts';
import type { Repository } from '@sextant/contracts';
import { callerOf } from '@sextant/core/testing';
import type { config } from '../config.ts';
import plugin from '../index.ts';

export interface StartedGit extends AsyncDisposable {
  readonly repositories: Repositories;
  open(name: string, caller?: Caller): Promise<Repository>;
}

/** The plugin started as the host starts it, on a data folder below `folder`. */
export async function startGit(folder: string, settings: z.input<typeof config>, log: Logger = silentLogger): Promise<StartedGit> {
  const dataFolder = join(folder, 'data');
  mkdirSync(dataFolder, { recursive: true });
  const context: PluginContext = { log, dataFolder, externalURL: 'http://localhost', configFolder: folder };
  const providers = await plugin.start(plugin.config.parse(settings), {}, context);
  const provider = providers['repositories'];
  const repositories = provider?.value as Repositories;
  return {
    repositories,
    open: (name, caller = callerOf('alice')) => repositories.open(caller, name),
    [Symbol.asyncDispose]: async () => provider?.close?.(),
  };
}
