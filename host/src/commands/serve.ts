import { constants } from 'node:os';
import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { mostDescriptors, SextantError } from '@sextant/core';
import type { Authenticator } from '@sextant/core';
import { createLog } from '../log/log.ts';
import type { Logger } from '../log/log.ts';
import { loadConfig } from '../config/config.ts';
import { filesToBe } from '../config/config-file.ts';
import type { Configuration, ConfigSource } from '../config/config.ts';
import { markServing, openDataFolder } from '../server/data-folder.ts';
import type { Generation } from '../server/generation.ts';
import { isLoopbackName } from '../http/origin.ts';
import { LiveServing } from '../server/reload.ts';
import { logLeftOut, logMistakes, startGeneration, startedLater } from '../server/start.ts';
import type { PluginMetrics } from '../metrics/plugin-metrics.ts';
import { Recent } from '../metrics/recent.ts';
import { watchClock } from '../log/watch-clock.ts';
import { watchForHolds } from '../log/watchdog.ts';
import { surviveUncaught } from '../log/uncaught.ts';
import { localPluginFiles, pluginsWith } from '../plugins/plugin-files.ts';
import { watchFile } from '../plugins/watch-file.ts';
import { watchPlugins } from '../plugins/watch-plugins.ts';
import { requireRole } from '../roles/roles.ts';
import type { AskedRole } from '../roles/roles.ts';
import { bracketed, tryAddress, urlOf } from '../http/listening/listening-address.ts';
import type { Address } from '../http/listening/listening-address.ts';
import { addressFor } from './options/serve-options.ts';
import { print } from './terminal/terminal.ts';
import { firstWelcome, laterWelcome, programName } from './terminal/welcome.ts';
import type { Welcome } from './terminal/welcome.ts';
import { dataParent, sourceOf, workingDirectory } from './options/working-directory.ts';
import type { CommonOptions } from './options/working-directory.ts';

export interface ServeOptions extends CommonOptions, AskedRole {
  repos: readonly string[];
  watch?: true;
  port?: number;
  host?: string;
}

/** Calls in flight may take this long when the server stops. */
const graceMs = 10_000;

/** With fewer, threads and git of a handful of repositories leave none to connections. */
const leastDescriptors = 256;

/** Serves until a signal stops it. */
export async function serve(options: ServeOptions): Promise<void> {
  requireDescriptors();
  const recent = new Recent();
  let log = createLog('warn', { recent });
  // From before plugins are loaded.
  surviveUncaught({ error: (fields, message) => log.error(fields, message) });
  const { role, node } = options;
  const asked = { ...(role !== undefined && { role }), ...(node !== undefined && { node }) };
  const source = { ...(await sourceOf(options, options.repos, workingDirectory())), ...asked };
  const change = Promise.withResolvers<LiveServing>();
  let unwatchPlugins: (() => void) | undefined;
  let unmark: (() => Promise<void>) | undefined;
  // From before the file is read: a change while the server starts is put into force when it has started.
  const unwatch = await watchConfig(source, () => void change.promise.then((live) => live.reload()));
  try {
    const configuration = await loadConfig(source);
    requireRole(asked, configuration.role !== undefined);
    log = createLog(configuration.settings.logLevel, { recent });
    const wanted = addressFor(options, configuration.settings);
    const address = await tryAddress(wanted);
    const { PluginMetrics } = await import('../metrics/plugin-metrics.ts');
    const metrics = new PluginMetrics({ warn: (fields, message) => log.warn(fields, message) });
    warnOfExposure(address, configuration, log);
    const listeningURL = urlOf(address, configuration.settings.tls !== undefined);
    const dataFolder = await openDataFolder(options.data, dataParent(source));
    const mark = await markServing(dataFolder);
    unmark = () => mark.unmark();
    if (mark.wasKilled) log.warn({}, killedBefore);
    const live = await startServing({ configuration, source, dataFolder, listeningURL, log, metrics, recent });
    change.resolve(live);
    if (options.watch) unwatchPlugins = await watchPlugins(localPluginFiles, (file) => reloadFor(file, live, log));
    const isMoved = ({ settings }: Generation): boolean => !isDeepStrictEqual(addressFor(options, settings), wanted);
    await serveUntilStopped({ live, address, isMoved, configuration, source, dataFolder, log });
  } finally {
    unwatch();
    unwatchPlugins?.();
    await unmark?.();
  }
}

/** Tells when the configuration file has changed; of a folder without one, when one is written. */
async function watchConfig(
  { file, workingDirectory: folder }: ConfigSource,
  onChange: () => void,
): Promise<() => void> {
  const files = file === undefined ? filesToBe(folder) : [file];
  const watches = await Promise.all(files.map((path) => watchFile(path, onChange)));
  return () => watches.forEach((stop) => stop());
}

/** Loads the plugins again of which a file has changed, and says which. */
async function reloadFor(file: string, live: LiveServing, log: Logger): Promise<void> {
  await live.reload();
  const plugins = pluginsWith(file);
  const named = `${plugins.length === 1 ? 'the plugin' : 'the plugins'} ${plugins.join(', ')}`;
  const path = relative(workingDirectory(), file);
  if (live.configurationError === undefined) log.info({ plugins, file }, `${path} changed: ${named} loaded again`);
  else log.warn({ plugins, file }, `${path} changed: ${named} as before, because of the mistake above`);
}

function requireDescriptors(): void {
  const most = mostDescriptors();
  if (most >= leastDescriptors) return;
  throw new SextantError(
    'unavailable',
    `this process may have ${most} files and connections open at once, and needs ${leastDescriptors}: raise the limit (ulimit -n) and start again`,
  );
}

interface Start {
  configuration: Configuration;
  source: ConfigSource;
  dataFolder: string;
  listeningURL: string;
  log: Logger;
  metrics: PluginMetrics;
  recent: Recent;
}

async function startServing({ configuration, ...options }: Start): Promise<LiveServing> {
  const { log, source } = options;
  const started = performance.now();
  await logMistakes(configuration, log);
  const generation = await startGeneration(configuration, { ...options, later: startedLater(configuration) });
  const { assembly } = generation;
  logLeftOut(generation, log);
  log.info({ plugins: assembly.plugins.length, ms: Math.round(performance.now() - started) }, 'plugins started');
  if (source.file === undefined && source.repositories.length === 0)
    log.warn({}, 'no repository to serve: start with --repos DIR, or name repositories in sextant.config.yaml');
  return new LiveServing(generation, options);
}

interface Serving {
  live: LiveServing;
  address: Address;
  /** Whether a configuration names another address than the one that is in use. */
  isMoved(generation: Generation): boolean;
  /** That of the start. */
  configuration: Configuration;
  source: ConfigSource;
  dataFolder: string;
  log: Logger;
}

async function serveUntilStopped(serving: Serving): Promise<void> {
  const { live, address, isMoved, configuration, source, dataFolder, log } = serving;
  const stopped = untilStopped(() => void live.reload());
  let stopWatchingHolds: (() => void) | undefined;
  const stopWatchingClock = watchClock(log);
  try {
    // Loaded only now: what plugins began at their start, such as reading an index, goes on meanwhile.
    const { listen } = await import('../http/listening/listen.ts');
    const listener = await listen({ serving: live, ...address, folder: configuration.folder, log });
    live.whenChanged(() => {
      if (isMoved(live.current)) log.warn({}, 'another host or port is in force at the next start');
      return listener.follow();
    });
    await live.current.assembly.ready();
    stopWatchingHolds = watchForHolds({ log });
    if (source.role !== 'node')
      print((await welcome(live.current, { served: servedBy(source), dataFolder })).trimEnd());
    if (live.current.starting.length > 0) void live.startRest(configuration);
    const { watchProgress } = await import('./terminal/progress.ts');
    const stopWatching = watchProgress({ status: () => live.current.status(), log, stream: process.stderr });
    const signal = await stopped;
    stopWatching();
    log.info({ signal }, 'stopping');
    await listener.close(graceMs);
  } finally {
    stopWatchingHolds?.();
    stopWatchingClock();
    await live.close();
  }
}

const killedBefore =
  'the server before this one was not stopped in order: it was killed, ran out of memory, or the machine lost power. ' +
  'Usage of its last second may be missing; the kernel log (dmesg, journalctl -k) tells of memory';

/** Where the repositories come from, as the operator named it. */
const servedBy = ({ file, repositories }: ConfigSource): string =>
  [...(file === undefined ? [] : [file]), ...repositories].join(', ') || 'none';

async function welcome(generation: Generation, start: Omit<Welcome, 'url'>): Promise<string> {
  const { assembly, externalURL: url } = generation;
  const authenticators = assembly.plugins.flatMap((plugin) => plugin.authenticators);
  for (const authenticator of authenticators) {
    const token = await authenticator.firstCredential?.(generation.servicesOf(authenticator));
    if (token === undefined) continue;
    return firstWelcome({ url, token, signIn: await firstSignIn(generation, authenticators), ...start });
  }
  return laterWelcome({ url, ...start }, programName());
}

async function firstSignIn(
  generation: Generation,
  authenticators: readonly Authenticator[],
): Promise<string | undefined> {
  const way = authenticators.find((authenticator) => authenticator.firstSignIn);
  return way?.firstSignIn?.(generation.servicesOf(way));
}

function warnOfExposure({ host }: Address, { settings }: Configuration, log: Logger): void {
  if (isLoopbackName(bracketed(host)) || settings.tls || settings.externalURL?.startsWith('https://')) return;
  log.warn(
    { host },
    `WARNING: ${host} is reachable from other machines, and without https every token crosses the network in the clear. ` +
      'Put a proxy with https in front and set externalURL to its address, set tls, or listen on 127.0.0.1',
  );
}

/**
 * Waits for SIGINT or SIGTERM; a second one ends the process at once with the code that shells expect (128 + number).
 * SIGHUP asks for the configuration to be read again.
 */
function untilStopped(onHangUp: () => void): Promise<NodeJS.Signals> {
  process.on('SIGHUP', onHangUp);
  return new Promise((resolve) => {
    let isStopping = false;
    const stop = (signal: NodeJS.Signals): void => {
      if (isStopping) process.exit(128 + constants.signals[signal]);
      isStopping = true;
      resolve(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}
