import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname } from 'node:path';
import { clockDiagnosis, messageOf, mostDescriptors } from '@sextant/core';
import type { Diagnosis, DiagnosisState } from '@sextant/core';
import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { loadConfig } from '../config/config.ts';
import type { Configuration, ConfigSource } from '../config/config.ts';
import { endOf, readCertificate } from '../http/listening/certificate.ts';
import { tryAddress, urlOf } from '../http/listening/listening-address.ts';
import type { Address } from '../http/listening/listening-address.ts';
import { codeOf, dataFolderAt } from '../server/data-folder.ts';
import { withCommonOptions } from './options/common-options.ts';
import { addressFor } from './options/serve-options.ts';
import { indexStates } from './index-states.ts';
import { print } from './terminal/terminal.ts';
import { dataParent, sourceOf, workingDirectory } from './options/working-directory.ts';
import type { CommonOptions } from './options/working-directory.ts';

interface Options extends CommonOptions {
  json?: true;
  thorough?: true;
}

const limitMs = 10_000;
const gigabyte = 2 ** 30;
const wantedDescriptors = 4096;
const limitsFile = '/proc/self/limits';
const wantedAddressSpace = 64 * gigabyte;

/** `sextant doctor` */
export function addDoctorCommand(program: Command): void {
  withCommonOptions(program.command('doctor'))
    .option('--thorough', 'read indexes to their ends and every object of the repositories, however long it takes')
    .description('look at everything that the server depends on; changes nothing; exits 1 when something is wrong')
    .action(doctor);
}

async function doctor(options: Options): Promise<void> {
  printFound(await diagnoseAll(options), options);
}

/** The process exits with 1 where something is wrong. */
export function printFound(found: readonly Diagnosis[], { json }: { json?: true }): void {
  print(json ? JSON.stringify(found, null, 2) : found.map(line).join('\n'));
  if (found.some(({ state }) => state === 'wrong')) process.exitCode = 1;
}

const line = ({ what, state, text }: Diagnosis): string => `${state.padEnd(8)}  ${what}: ${text}`;

async function diagnoseAll(options: Options): Promise<readonly Diagnosis[]> {
  const source = await sourceOf(options, [], workingDirectory());
  const dataFolder = dataFolderAt(options.data, dataParent(source));
  const machine = [
    said(
      'fine',
      'program',
      `Sextant ${manifest.version} on Node ${process.versions.node}, ${process.platform} ${process.arch}`,
    ),
    descriptors(),
    ...addressSpace(),
    ...(await dataFolderStates(dataFolder)),
  ];
  const configuration = await loadConfig(source).catch(messageOf);
  if (typeof configuration === 'string') return [...machine, said('wrong', 'configuration', configuration)];
  const address = addressFor({}, configuration.settings);
  const listeningURL = urlOf(address, configuration.settings.tls !== undefined);
  const externalURL = configuration.settings.externalURL ?? listeningURL;
  const { folder: configFolder, contributionsTo } = configuration;
  const isThorough = options.thorough === true;
  const context = { dataFolder, externalURL, configFolder, contributionsTo, isThorough };
  const others = await Promise.all([
    configurationState(configuration, source),
    addressState(address, listeningURL),
    ...(externalURL === listeningURL ? [] : [reach(externalURL)]),
    ...(configuration.settings.tls ? [certificateState(configuration, externalURL)] : []),
    ...configuration.plugins.map(async ({ plugin, config }) =>
      plugin.diagnose(config, context).catch((error: unknown) => [said('wrong', plugin.name, messageOf(error))]),
    ),
  ]);
  // Last, because it keeps the event loop busy.
  const dataFiles = configuration.plugins.flatMap(({ plugin }) => plugin.dataFiles);
  const indexes = await indexStates(dataFolder, dataFiles, isThorough ? Number.POSITIVE_INFINITY : limitMs);
  return [...machine, ...others.flat(), ...indexes];
}

export const said = (state: DiagnosisState, what: string, text: string): Diagnosis => ({ what, state, text });

function descriptors(): Diagnosis {
  const most = mostDescriptors();
  const text = `${most} may be open at once`;
  if (most >= wantedDescriptors) return said('fine', 'files', text);
  return said('doubtful', 'files', `${text}; with many clients raise the limit to ${wantedDescriptors} (ulimit -n)`);
}

/** Programs reserve much more than they use. Nothing is said where there is no limit, or none that can be read. */
function addressSpace(): Diagnosis[] {
  const limits = existsSync(limitsFile) ? readFileSync(limitsFile, 'utf8') : '';
  const most = Number(/^Max address space +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (most >= wantedAddressSpace) return [];
  const text = `${(most / gigabyte).toFixed(1)} GB of address space may be reserved; memory for indexes may not be; raise the limit (ulimit -v)`;
  return [said('doubtful', 'memory', text)];
}

async function dataFolderStates(folder: string): Promise<readonly Diagnosis[]> {
  try {
    const { mode } = await stat(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    const rights = (mode & 0o777).toString(8);
    const own =
      (mode & 0o077) === 0
        ? said('fine', 'data folder', folder)
        : said('doubtful', 'data folder', `other accounts may look into ${folder} (mode ${rights}); chmod 700`);
    return [own, await diskState(folder)];
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      return [said('fine', 'data folder', `${folder} is made at the first start`), await diskState(dirname(folder))];
    return [said('wrong', 'data folder', `${folder} cannot be read and written: ${messageOf(error)}`)];
  }
}

async function diskState(folder: string): Promise<Diagnosis> {
  // What is missing is made in the nearest folder that is there.
  const disk = await statfs(folder).catch(() => undefined);
  if (!disk && dirname(folder) !== folder) return diskState(dirname(folder));
  if (!disk) return said('wrong', 'disk', `${folder} cannot be read; choose another with --data`);
  const [free, size] = [disk.bavail * disk.bsize, disk.blocks * disk.bsize].map((bytes) => bytes / gigabyte);
  const text = `${free?.toFixed(1)} of ${size?.toFixed(1)} GB are free`;
  if (free === undefined || free < 0.1) return said('wrong', 'disk', `${text}; nothing can be kept. Free some`);
  if (free < 2) return said('doubtful', 'disk', `${text}; indexes take about as much as the text of the repositories`);
  return said('fine', 'disk', text);
}

async function configurationState(configuration: Configuration, { repositories }: ConfigSource): Promise<Diagnosis> {
  const mistakes = await configuration.mistakes({ mayRead: true });
  if (mistakes.length > 0) return said('wrong', 'configuration', mistakes.join('; '));
  const leftOut = configuration.quarantined.map(({ plugin, reason }) => `${plugin} is left out: ${reason}`);
  if (leftOut.length > 0) return said('doubtful', 'configuration', leftOut.join('; '));
  return said(
    'fine',
    'configuration',
    configuration.file ?? `none; serves ${repositories.join(', ') || 'no repository'}`,
  );
}

/** A server that runs already is fine; a stranger on its port is not. */
async function addressState(address: Address, url: string): Promise<Diagnosis> {
  const free = await tryAddress(address).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (free === undefined) return said('fine', 'address', `${url} is free`);
  const running = await reach(url);
  if (running.state === 'fine') return running;
  return said('wrong', 'address', messageOf(free));
}

async function reach(url: string): Promise<Diagnosis> {
  try {
    const answer = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(limitMs), redirect: 'error' });
    await answer.body?.cancel();
    if (answer.ok) return clockDiagnosis(url, answer) ?? said('fine', 'address', `a server answers at ${url}`);
    return said(
      'doubtful',
      'address',
      `${url}/healthz answers ${answer.status}; clients cannot reach the server there`,
    );
  } catch (error) {
    const reason = messageOf(error instanceof Error ? (error.cause ?? error) : error);
    return said(
      'doubtful',
      'address',
      `${url} cannot be reached from here: ${reason}; check externalURL and the proxy`,
    );
  }
}

async function certificateState({ settings, folder }: Configuration, externalURL: string): Promise<Diagnosis> {
  const what = 'certificate';
  if (!settings.tls) return said('fine', what, 'none');
  const read = await readCertificate({ files: settings.tls, folder }).catch(messageOf);
  if (typeof read === 'string') return said('wrong', what, read);
  const certificate = new X509Certificate(read.cert);
  const end = endOf(read);
  const name = new URL(externalURL).hostname;
  if (end.state === 'ended') return said('wrong', what, `${settings.tls.certificate} ended on ${end.on}; renew it`);
  if ((isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) === undefined)
    return said('doubtful', what, `${settings.tls.certificate} is not for ${name}; clients refuse it`);
  if (end.state === 'ends') return said('doubtful', what, `${settings.tls.certificate} ends on ${end.on}; renew it`);
  return said('fine', what, `${settings.tls.certificate} holds until ${end.on}`);
}
