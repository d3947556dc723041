import { Registry, didYouMean, isMissing, messageOf, startOrder } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import type { Command } from 'commander';
import { ConfigError } from '../config/problems.ts';
import { mergedSchema } from '../config/merged.ts';
import { readCertificate } from '../http/listening/certificate.ts';
import { shortName } from '../config/config-file.ts';
import { loadConfig } from '../config/config.ts';
import type { Configuration } from '../config/config.ts';
import { serverSettings } from '../server/server-settings.ts';
import type { HostSettings } from '../server/settings.ts';
import { withCommonOptions } from './options/common-options.ts';
import { print } from './terminal/terminal.ts';
import { sourceOf, workingDirectory } from './options/working-directory.ts';
import type { CommonOptions } from './options/working-directory.ts';

interface Options extends CommonOptions {
  json?: true;
}

/** `sextant config check|print|schema` */
export function addConfigCommands(program: Command): void {
  const config = program.command('config').description('check, print or describe the configuration');
  withCommonOptions(config.command('check').description('find mistakes; exits 1 when there are any')).action(check);
  withCommonOptions(
    config.command('print').description('what is in force, with defaults; secrets stay references'),
  ).action(printInForce);
  withCommonOptions(config.command('schema').description('the JSON Schema of the host and all loaded plugins')).action(
    schema,
  );
}

const read = async (options: Options): Promise<Configuration> =>
  loadConfig(await sourceOf(options, [], workingDirectory()));

async function check(options: Options): Promise<void> {
  try {
    const configuration = await read(options);
    requireStartable(configuration);
    const mistakes = [
      ...(await configuration.mistakes({ mayRead: true })),
      ...(await certificateMistakes(configuration)),
    ];
    if (mistakes.length > 0) throw new ConfigError(mistakes);
    const { file, quarantined } = configuration;
    const valid = `${file === undefined ? 'no configuration file, the defaults are' : `${shortName(file, workingDirectory())} is`} valid`;
    const without = quarantined.map(({ plugin, reason }) => `the optional plugin ${plugin} is left out: ${reason}`);
    write(
      options,
      { isValid: true, file: file ?? null, problems: [], leftOut: quarantined },
      [valid, ...without].join('\n'),
    );
  } catch (error) {
    if (!options.json || !(error instanceof ConfigError)) throw error;
    write(options, { isValid: false, problems: error.problems }, '');
    process.exitCode = 1;
  }
}

async function certificateMistakes({ settings, folder }: Configuration): Promise<string[]> {
  if (!settings.tls) return [];
  return readCertificate({ files: settings.tls, folder }).then(
    () => [],
    (error: unknown) => [messageOf(error)],
  );
}

/** What only shows when the plugins meet: needs that nobody serves, two tools of one name, endpoints of unknown tools. */
function requireStartable({ plugins, settings }: Configuration): void {
  const required = plugins.filter(({ isOptional }) => !isOptional).map(({ plugin }) => plugin);
  try {
    if (required.length === plugins.length) startOrder([serverSettings(settings).plugin, ...required]);
    void new Registry({ plugins: plugins.map(({ plugin }) => plugin), endpoints: settings.endpoints });
    requireCommandsServed([serverSettings(settings).plugin, ...plugins.map(({ plugin }) => plugin)]);
    requireToolsNamed(
      plugins.flatMap(({ plugin }) => plugin.tools.map(({ name }) => name)),
      settings,
    );
  } catch (error) {
    throw new ConfigError([error instanceof Error ? error.message : String(error)]);
  }
}

function requireCommandsServed(plugins: readonly Plugin[]): void {
  const provided = new Set(plugins.flatMap(({ provides }) => Object.values(provides).map(({ name }) => name)));
  for (const plugin of plugins)
    for (const command of plugin.commands) {
      const missing = Object.values(command.needs).find((need) => isMissing(need, (name) => provided.has(name)));
      if (missing)
        throw new Error(
          `the command ${command.name} of ${plugin.name} needs "${missing.name}", which no loaded plugin provides`,
        );
    }
}

/** A tool that is not disabled because of a misspelt name would be offered. */
function requireToolsNamed(tools: readonly string[], settings: HostSettings): void {
  for (const name of settings['mcp.tools.disabled'])
    if (!tools.includes(name))
      throw new Error(
        `mcp.tools.disabled: no plugin brings a tool "${name}".${didYouMean(name, tools)} Loaded: ${tools.join(', ')}.`,
      );
  for (const name of Object.keys(settings.limits.tools))
    if (!tools.includes(name))
      throw new Error(`limits.tools: no plugin brings a tool "${name}".${didYouMean(name, tools)}`);
}

async function printInForce(options: Options): Promise<void> {
  const { stringify } = await import('yaml');
  const shown = (await read(options)).printable();
  write(options, shown, stringify(shown).trimEnd());
}

async function schema(options: Options): Promise<void> {
  const { loaded } = await read(options);
  const json = mergedSchema(loaded);
  write(options, json, JSON.stringify(json, null, 2));
}

function write({ json }: Options, data: unknown, text: string): void {
  print(json ? JSON.stringify(data, null, 2) : text);
}
