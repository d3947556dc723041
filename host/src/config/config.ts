import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Services, all, permissionsOf, separateUnfit } from '@sextant/core';
import type { ConfigCheck, ConfiguredPlugin, Quarantined } from '@sextant/core';
import { findConfigFile, readConfigFile } from './config-file.ts';
import type { ConfigFile } from './config-file.ts';
import { pathInFile, validateMerged } from './merged.ts';
import { ConfigError, describeProblems } from './problems.ts';
import type { Problem } from './problems.ts';
import { isPlainObject, resolveSecrets } from './secrets.ts';
import { quote } from './validate.ts';
import { loadPlugins } from '../plugins/load-plugins.ts';
import type { LoadedPlugin } from '../plugins/load-plugins.ts';
import { packagesFor, pluginsFor, roleFor, settingsFor, withSelf } from '../roles/roles.ts';
import type { AskedRole, Role } from '../roles/roles.ts';
import { serverSettings } from '../server/server-settings.ts';
import type { HostSettings } from '../server/settings.ts';

/** Where a configuration comes from, and what the command line adds to it. */
export interface ConfigSource extends AskedRole {
  /** Absolute path of the file; undefined when there is none. */
  readonly file: string | undefined;
  readonly workingDirectory: string;
  /** Absolute folders, added to `repositories`. */
  readonly repositories: readonly string[];
}

/** A configuration that was checked completely. */
export interface Configuration {
  readonly file: string | undefined;
  /** Undefined where one process is everything. */
  readonly role: Role | undefined;
  /** Against which relative paths in it are resolved. */
  readonly folder: string;
  readonly settings: HostSettings;
  readonly plugins: readonly ConfiguredPlugin[];
  readonly loaded: readonly LoadedPlugin[];
  /** Optional plugins that could not be loaded, or cannot run beside the others. */
  readonly quarantined: readonly Quarantined[];
  /** What is wrong with it beside its schemas, a line for each mistake. Starts nothing. */
  mistakes(options: Pick<ConfigCheck, 'mayRead'>): Promise<readonly string[]>;
  /** See `ConfigCheck`. */
  readonly contributionsTo: ConfigCheck['contributionsTo'];
  /** Everything in force, defaults included, secrets as the references that they were written as. */
  printable(): Record<string, unknown>;
}

/** The file that `--config` names, or the one that is found from the working directory. */
export const configFileFor = async (named: string | undefined, workingDirectory: string): Promise<string | undefined> =>
  named ?? (await findConfigFile(workingDirectory));

/** Reads and checks everything, plugins included; throws `ConfigError` with all that is wrong. Starts nothing. */
export async function loadConfig(source: ConfigSource, env: NodeJS.ProcessEnv = process.env): Promise<Configuration> {
  const file = source.file === undefined ? noFile : await readConfigFile(source.file, source.workingDirectory);
  const folder = source.file === undefined ? source.workingDirectory : dirname(source.file);
  if (!isPlainObject(file.value))
    throw new ConfigError([`${file.name}: expected a mapping of settings, found ${quote(file.value)}`]);

  const role = roleFor(source, file.value);
  const raw = withSelf(withRepositories(file.value, source.repositories), source);
  const secrets = await resolveSecrets(raw, folder, env);
  const value = isPlainObject(secrets.value) ? secrets.value : {};
  const { plugins: loaded, quarantined, problems } = await loadPlugins(value['plugins'], folder, packagesFor(role));
  const merged = validateMerged({ raw, value, loaded, isComplete: problems.length + quarantined.length === 0 });
  const wrong = [
    ...secrets.problems,
    ...problems,
    ...(merged.ok ? [] : merged.problems.filter(isNew(secrets.problems))),
  ];
  if (!merged.ok || wrong.length > 0) throw new ConfigError(describeProblems(wrong, file));

  const settings = settingsFor(role, merged.data.settings);
  const own = serverSettings(settings);
  const { fit, unfit } = separateUnfit([own, ...pluginsFor(role, merged.data.plugins)]);
  const plugins = fit.filter((each) => each !== own);
  const printable = (): Record<string, unknown> => {
    const masked = secrets.mask(merged.data.printable);
    return isPlainObject(masked) ? masked : {};
  };
  const services = new Services(plugins.flatMap(({ plugin }) => plugin.contributions));
  const contributionsTo: ConfigCheck['contributionsTo'] = (point) => services.resolve({ given: all(point) }).given;
  const mistakes: Configuration['mistakes'] = async ({ mayRead }) =>
    describeProblems(await mistakesIn(plugins, loaded, { configFolder: folder, mayRead, contributionsTo }), file);
  const leftOut = [...quarantined, ...unfit];
  return {
    file: source.file,
    role,
    folder,
    settings,
    plugins,
    loaded,
    quarantined: leftOut,
    mistakes,
    contributionsTo,
    printable,
  };
}

/** A reference that leads nowhere is not what a schema wants, either. */
const isNew =
  (known: readonly Problem[]) =>
  ({ path }: Problem): boolean =>
    !known.some((one) => isDeepStrictEqual(one.path, path));

async function mistakesIn(
  plugins: readonly ConfiguredPlugin[],
  loaded: readonly LoadedPlugin[],
  check: Omit<ConfigCheck, 'permissions'>,
): Promise<Problem[]> {
  const permissions = permissionsOf(plugins.map(({ plugin }) => plugin));
  const found = await Promise.all(
    plugins.map(async ({ plugin, config }) => {
      const key = loaded.find((entry) => entry.plugin === plugin)?.key ?? plugin.name;
      const own = await plugin.checkConfig(config, { ...check, permissions });
      return own.map(({ path, text }) => ({ path: pathInFile(plugin, key, path), text }));
    }),
  );
  return found.flat();
}

const noFile: Pick<ConfigFile, 'name' | 'value' | 'lineOf'> = {
  name: 'command line',
  value: {},
  lineOf: () => undefined,
};

/** A wrong `repositories` is left for the check to complain of. */
function withRepositories(value: Record<string, unknown>, folders: readonly string[]): Record<string, unknown> {
  const configured = value['repositories'] ?? [];
  if (folders.length === 0 || !Array.isArray(configured)) return value;
  return { ...value, repositories: [...configured, ...folders.map((path) => ({ path }))] };
}
