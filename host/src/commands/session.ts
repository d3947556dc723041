import type { Assembly, Needs } from '@sextant/core';
import { loadConfig } from '../config/config.ts';
import type { Configuration, ConfigSource } from '../config/config.ts';
import { openDataFolder } from '../server/data-folder.ts';
import { createLog } from '../log/log.ts';
import type { Logger } from '../log/log.ts';
import { startPart } from '../server/start.ts';
import { urlOf } from '../http/listening/listening-address.ts';
import { addressFor } from './options/serve-options.ts';
import { dataParent, sourceOf, workingDirectory } from './options/working-directory.ts';
import type { CommonOptions } from './options/working-directory.ts';

/** A configuration that was read for one command. */
export interface Session {
  readonly source: ConfigSource;
  readonly configuration: Configuration;
  readonly log: Logger;
}

export async function openSession(options: CommonOptions, repos: readonly string[] = []): Promise<Session> {
  const source = await sourceOf(options, repos, workingDirectory());
  const configuration = await loadConfig(source);
  const { logLevel } = configuration.settings;
  return { source, configuration, log: createLog(logLevel === 'info' ? 'warn' : logLevel) };
}

/** What starting plugins needs besides the configuration. Makes the data folder. */
export async function startOptions(
  { source, configuration: { settings }, log }: Session,
  data: string | undefined,
): Promise<{ dataFolder: string; listeningURL: string; log: Logger }> {
  const listeningURL = urlOf(addressFor({}, settings), settings.tls !== undefined);
  return { dataFolder: await openDataFolder(data, dataParent(source)), listeningURL, log };
}

/** Starts what serves `needs`, does the work and closes it again. */
export async function withServices<T>(
  session: Session,
  { data, needs, alsoStarts }: { data: string | undefined; needs: Needs; alsoStarts?: Needs },
  work: (assembly: Assembly) => Promise<T>,
): Promise<T> {
  const assembly = await startPart(session.configuration, await startOptions(session, data), { needs, alsoStarts });
  try {
    return await work(assembly);
  } finally {
    await assembly.close();
  }
}
