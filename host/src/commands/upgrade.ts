import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rehearsals, Services, all, messageOf, silentLogger, token } from '@sextant/core';
import type { Diagnosis } from '@sextant/core';
import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { loadConfig } from '../config/config.ts';
import type { Configuration } from '../config/config.ts';
import { urlOf } from '../http/listening/listening-address.ts';
import { dataFolderAt } from '../server/data-folder.ts';
import { startPart } from '../server/start.ts';
import { copyData } from './backup.ts';
import { printFound, said } from './doctor.ts';
import { indexStates } from './index-states.ts';
import { withCommonOptions } from './options/common-options.ts';
import { addressFor } from './options/serve-options.ts';
import { dataParent, sourceOf, workingDirectory } from './options/working-directory.ts';
import type { CommonOptions } from './options/working-directory.ts';

interface Options extends CommonOptions {
  json?: true;
}

/** Most milliseconds for which one index is looked at. */
const inspectMs = 5000;

/** `sextant upgrade --check` */
export function addUpgradeCommand(program: Command): void {
  withCommonOptions(program.command('upgrade'))
    .requiredOption('--check', 'say what a start of this program would change; changes nothing')
    .description('what a start of this version does to the data of another; exits 1 when it would not start')
    .action(upgrade);
}

async function upgrade(options: Options): Promise<void> {
  printFound(await findings(options), options);
}

async function findings(options: Options): Promise<readonly Diagnosis[]> {
  const source = await sourceOf(options, [], workingDirectory());
  const dataFolder = dataFolderAt(options.data, dataParent(source));
  const program = said('fine', 'program', `Sextant ${manifest.version} on Node ${process.versions.node}`);
  const configuration = await loadConfig(source).catch(messageOf);
  if (typeof configuration === 'string') return [program, said('wrong', 'configuration', configuration)];
  const settings = await settingsStates(configuration);
  const tables = await tableStates(configuration, dataFolder);
  if (!existsSync(dataFolder))
    return [program, ...settings, said('fine', 'data', `${dataFolder} is made at the start`), ...tables];
  const dataFiles = configuration.plugins.flatMap(({ plugin }) => plugin.dataFiles);
  return [program, ...settings, ...tables, ...(await indexStates(dataFolder, dataFiles, inspectMs))];
}

async function settingsStates(configuration: Configuration): Promise<Diagnosis[]> {
  const mistakes = await configuration.mistakes({ mayRead: false });
  const leftOut = configuration.quarantined.map(({ plugin, reason }) =>
    said('doubtful', 'plugins', `${plugin} is left out: ${reason}`),
  );
  const wrong = mistakes.map((mistake) => said('wrong', 'configuration', mistake));
  if (wrong.length > 0) return [...wrong, ...leftOut];
  return [said('fine', 'configuration', 'every setting is known to this version'), ...leftOut];
}

/** Whatever needs it keeps tables in it. */
const database = token<unknown>('database');
const what = 'tables';

/** Starts what keeps tables on a copy of them: what happens there happens at the start. */
async function tableStates(configuration: Configuration, dataFolder: string): Promise<Diagnosis[]> {
  const keeper = configuration.plugins.find(({ plugin }) =>
    Object.values(plugin.provides).some(({ name }) => name === database.name),
  );
  const isInFolder = keeper?.plugin.dataFiles.some((each) => each.copy) === true;
  if (isInFolder && !existsSync(dataFolder)) return [];
  const [rehearse] = new Services(keeper?.plugin.contributions).resolve({ given: all(Rehearsals) }).given;
  const copy = await mkdtemp(join(tmpdir(), 'sextant-upgrade-'));
  try {
    if (!rehearse) {
      if (isInFolder) return await tried(configuration, { dataFolder, copy });
      return [
        said('doubtful', what, 'they are not in the data folder: the first server of this version migrates them'),
      ];
    }
    const { config, end } = await rehearse(keeper?.config);
    try {
      const plugins = configuration.plugins.map((each) => (each === keeper ? { ...each, config } : each));
      return await tried({ ...configuration, plugins }, { dataFolder, copy });
    } finally {
      await end();
    }
  } catch (error) {
    const text = `a copy of the data could not be brought up to date: ${messageOf(error).replaceAll(copy, dataFolder)}`;
    return [said('wrong', what, text)];
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/** Throws what a start throws. */
async function tried(
  configuration: Configuration,
  { dataFolder, copy }: { dataFolder: string; copy: string },
): Promise<Diagnosis[]> {
  const { settings, plugins } = configuration;
  const migrated: Diagnosis[] = [];
  const debug = (fields: object, message: string): void => {
    if ('store' in fields && 'migrations' in fields) migrated.push(said('fine', what, `${message}: ${shown(fields)}`));
  };
  const options = {
    dataFolder: copy,
    listeningURL: urlOf(addressFor({}, settings), settings.tls !== undefined),
    log: { ...silentLogger, debug },
  };
  if (existsSync(dataFolder))
    await copyData({ from: dataFolder, to: copy, dataFiles: plugins.flatMap(({ plugin }) => plugin.dataFiles) });
  const assembly = await startPart(configuration, options, { needs: {}, alsoStarts: { database } });
  await assembly.close();
  return migrated.length > 0 ? migrated : [said('fine', what, 'this version can use them as they are')];
}

const shown = (fields: object): string =>
  Object.entries(fields)
    .filter(([name]) => name !== 'plugin')
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join('; ');
