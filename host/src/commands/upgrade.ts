import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Rehearsals, Services, all, messageOf, silentLogger, token } from '@sextant/core';
import type { Diagnosis, Rehearse } from '@sextant/core';
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

interface Trial {
  readonly configuration: Configuration;
  readonly dataFolder: string;
  /** Where it starts. */
  readonly copy: string;
}

/** Starts what keeps tables on a copy of them: what happens there happens at the start. */
async function tableStates(configuration: Configuration, dataFolder: string): Promise<Diagnosis[]> {
  const keeper = configuration.plugins.find(({ plugin }) =>
    Object.values(plugin.provides).some(({ name }) => name === database.name),
  );
  const isInFolder = keeper?.plugin.dataFiles.some((each) => each.copy) === true;
  if (isInFolder && !existsSync(dataFolder)) return [];
  const [rehearse] = new Services(keeper?.plugin.contributions).resolve({ given: all(Rehearsals) }).given;
  if (!rehearse && !isInFolder) return [untried('they are not in the data folder')];
  const trial = { configuration, dataFolder, copy: await mkdtemp(join(tmpdir(), 'sextant-upgrade-')) };
  try {
    return rehearse && keeper ? await rehearsed(trial, { rehearse, keeper }) : await tried(trial, { hasRows: true });
  } finally {
    await rm(trial.copy, { recursive: true, force: true });
  }
}

const untried = (reason: string): Diagnosis =>
  said('doubtful', what, `${reason}: the first server of this version migrates them`);

interface Rehearsing {
  readonly rehearse: Rehearse;
  readonly keeper: Configuration['plugins'][number];
}

async function rehearsed(trial: Trial, { rehearse, keeper }: Rehearsing): Promise<Diagnosis[]> {
  const rehearsal = await rehearse(keeper.config).catch(messageOf);
  if (typeof rehearsal === 'string') return [untried(`they could not be tried (${rehearsal})`)];
  const { config, end } = rehearsal;
  const plugins = trial.configuration.plugins.map((each) => (each === keeper ? { ...each, config } : each));
  const found = await tried({ ...trial, configuration: { ...trial.configuration, plugins } }, { hasRows: false });
  const left = await end().catch(messageOf);
  return left === undefined ? found : [...found, said('doubtful', what, left)];
}

/** `hasRows`: otherwise neither do they fail on rows, nor is it known how long they take. */
async function tried(
  { configuration, dataFolder, copy }: Trial,
  { hasRows }: { hasRows: boolean },
): Promise<Diagnosis[]> {
  const { settings, plugins } = configuration;
  const migrated: Diagnosis[] = [];
  const debug = (fields: object, message: string): void => {
    if (!('store' in fields && 'migrations' in fields)) return;
    migrated.push(said('fine', what, `${message}${hasRows ? '' : ', without their rows'}: ${shown(fields, hasRows)}`));
  };
  const options = {
    dataFolder: copy,
    listeningURL: urlOf(addressFor({}, settings), settings.tls !== undefined),
    log: { ...silentLogger, debug },
  };
  try {
    if (existsSync(dataFolder))
      await copyData({ from: dataFolder, to: copy, dataFiles: plugins.flatMap(({ plugin }) => plugin.dataFiles) });
    const assembly = await startPart(configuration, options, { needs: {}, alsoStarts: { database } });
    await assembly.close();
  } catch (error) {
    const text = `a copy of the data could not be brought up to date: ${messageOf(error).replaceAll(copy, dataFolder)}`;
    return [said('wrong', what, text)];
  }
  return migrated.length > 0 ? migrated : [said('fine', what, 'this version can use them as they are')];
}

const shown = (fields: object, hasRows: boolean): string =>
  Object.entries(fields)
    .filter(([name]) => name !== 'plugin' && (hasRows || name !== 'ms'))
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join('; ');
