import { Assembly, Toolbox, closureOf, needsOf, silentMetrics } from '@sextant/core';
import type { Logger, Metrics, Needs, Plugin, PluginContext } from '@sextant/core';
import type { Configuration } from '../config/config.ts';
import { prepareIsolated } from '../isolation/isolated-plugin.ts';
import { Generation } from './generation.ts';
import type { PluginMetrics } from '../metrics/plugin-metrics.ts';
import type { Recent } from '../metrics/recent.ts';
import { serverSettings } from './server-settings.ts';

/** What a configuration does not say. */
export interface StartOptions {
  dataFolder: string;
  /** Where clients reach the server unless the configuration says otherwise. */
  listeningURL: string;
  log: Logger;
  /** Absent: nothing that plugins count is kept. */
  metrics?: PluginMetrics;
  recent?: Recent;
  /** What runs now; what is unchanged in it goes on running. */
  previous?: Generation;
  /** Names of plugins that are left to another start of the same configuration. */
  later?: readonly string[];
}

/**
 * The optional plugins that can start once the server listens. Excluded are plugins that others rely on: they wrap a
 * service, contribute to others, provide what they need, or have a tool that an endpoint of the operator names. Excluded,
 * too, are those whose first credential is shown when the server listens.
 */
export function startedLater({ plugins, settings }: Configuration): string[] {
  const named = new Set(Object.values(settings.endpoints).flat());
  const alone = plugins.filter(
    ({ plugin, isOptional }) =>
      isOptional &&
      plugin.wrappers.length + plugin.contributions.length === 0 &&
      !plugin.tools.some(({ name }) => named.has(name)) &&
      !plugin.authenticators.some((authenticator) => authenticator.firstCredential),
  );
  const needed = new Set(
    plugins
      .filter((configured) => !alone.includes(configured))
      .flatMap(({ plugin }) => [...needsOf(plugin)].map(({ need }) => need.name)),
  );
  const later = alone.filter(({ plugin }) => !Object.values(plugin.provides).some(({ name }) => needed.has(name)));
  return later.map(({ plugin }) => plugin.name);
}

/** Starts every plugin of a configuration and fills the endpoints; on failure nothing is left running. */
export async function startGeneration(configuration: Configuration, options: StartOptions): Promise<Generation> {
  const { settings, loaded, quarantined, printable, role } = configuration;
  const { later = [] } = options;
  const plugins = configuration.plugins.filter(({ plugin }) => !later.includes(plugin.name));
  const contextOf = contexts(configuration, options);
  const running = new Set(options.previous?.assembly.plugins);
  const fresh = plugins.map(({ plugin }) => plugin).filter((plugin) => !running.has(plugin));
  await prepareIsolated(fresh, contextOf);
  const assembly = await Assembly.start({
    plugins: [serverSettings(settings), ...plugins],
    contextOf,
    ...(options.previous && { previous: options.previous.assembly }),
  });
  try {
    const externalURL = externalURLOf(configuration, options);
    const { metrics, recent } = options;
    const isNode = role === 'node';
    const told = {
      loaded,
      quarantined,
      later,
      printable,
      isNode,
      ...(metrics && { metrics }),
      ...(recent && { recent }),
    };
    return new Generation({ settings, externalURL, assembly, ...told });
  } catch (error) {
    await assembly.close();
    throw error;
  }
}

/** Tells of mistakes that the schemas of a configuration cannot see. */
export async function logMistakes(configuration: Configuration, log: Logger): Promise<void> {
  for (const mistake of await configuration.mistakes({ mayRead: false })) log.warn({}, mistake);
}

/** Names the optional plugins that a generation runs without. */
export function logLeftOut({ quarantined }: Pick<Generation, 'quarantined'>, log: Logger): void {
  for (const { plugin, reason } of quarantined)
    log.error({ plugin }, `serving without the plugin ${plugin}: ${reason}`);
}

/** What a command needs started. */
export interface StartedPart {
  needs: Needs;
  /** Every plugin that needs one of these services is started too. */
  alsoStarts?: Needs | undefined;
}

/** Starts only the plugins behind `needs`, without what they contribute: enough for one command. */
export async function startPart(
  configuration: Configuration,
  options: StartOptions,
  { needs, alsoStarts = {} }: StartedPart,
): Promise<Assembly> {
  const plugins = [serverSettings(configuration.settings), ...configuration.plugins];
  const all = plugins.map(({ plugin }) => plugin);
  const used = new Set(namesOf(alsoStarts));
  const users = all.filter((plugin) => namesOf(plugin.needs).some((name) => used.has(name)));
  const needed = [needs, ...users.map((plugin) => plugin.needs)];
  const wanted = new Set([...users, ...needed.flatMap((each) => behind(each, all))]);
  return Assembly.start({
    plugins: plugins
      .filter(({ plugin }) => wanted.has(plugin))
      .map((configured) => ({ ...configured, plugin: servicesOnly(configured.plugin) })),
    contextOf: contexts(configuration, options),
  });
}

/** The plugins that must run for `needs`. The toolbox needs everything that the tools in it need. */
function behind(needs: Needs, plugins: readonly Plugin[]): Plugin[] {
  const wanted = closureOf(plugins, namesOf(needs));
  if (![needs, ...wanted.map((plugin) => plugin.needs)].flatMap(namesOf).includes(Toolbox.name)) return wanted;
  const tools = plugins.flatMap((plugin) => plugin.tools);
  return closureOf(plugins, [needs, ...tools.map((tool) => tool.needs)].flatMap(namesOf));
}

const namesOf = (needs: Needs): string[] => Object.values(needs).map(({ name }) => name);

const servicesOnly = (plugin: Plugin): Plugin => ({
  ...plugin,
  tools: [],
  reports: [],
  pages: [],
  authenticators: [],
  commands: [],
});

const externalURLOf = ({ settings }: Configuration, { listeningURL }: StartOptions): string =>
  settings.externalURL ?? listeningURL;

const contexts =
  (configuration: Configuration, options: StartOptions) =>
  (plugin: Plugin): PluginContext => ({
    log: logOf(plugin, options.log),
    metrics: metricsOf(plugin, options),
    dataFolder: options.dataFolder,
    externalURL: externalURLOf(configuration, options),
    configFolder: configuration.folder,
  });

const metricsOf = ({ name }: Plugin, { metrics }: StartOptions): Metrics => metrics?.of(name) ?? silentMetrics;

/** Not a child of the log, and each method looked up late: both would keep the level of now when the configuration changes it. */
const logOf = ({ name: plugin }: Plugin, log: Logger): Logger => ({
  debug: (fields, message) => log.debug({ plugin, ...fields }, message),
  info: (fields, message) => log.info({ plugin, ...fields }, message),
  warn: (fields, message) => log.warn({ plugin, ...fields }, message),
  error: (fields, message) => log.error({ plugin, ...fields }, message),
});
