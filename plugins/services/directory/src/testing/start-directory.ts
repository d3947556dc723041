import { Directory } from '@sextant/contracts';
import { Principals } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import type { StartedPlugins } from '@sextant/core/testing';
import { testDatabase } from '@sextant/service-postgres/testing';
import type { z } from 'zod';
import type { config } from '../config.ts';
import plugin from '../index.ts';

export interface StartedDirectory extends StartedPlugins {
  readonly directory: Directory;
  readonly principals: Principals;
}

/** The plugin as a process of its own on a data folder. */
export async function startDirectory(
  dataFolder: string,
  settings: z.input<typeof config> = {},
): Promise<StartedDirectory> {
  const started = await startPlugins(dataFolder, [[testDatabase], [plugin, settings]]);
  return { ...started, ...started.services.resolve({ directory: Directory, principals: Principals }) };
}
