import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SextantError, messageOf, nearest } from '@sextant/core';
import type { Plugin, Quarantined } from '@sextant/core';
import { alternatives, clusterPlugins, preset, presetURL } from '@sextant/preset';
import type { Problem } from '../config/problems.ts';
import { importLocalPlugin, importPackagedPlugin } from './import-plugin.ts';
import { importIsolated } from './import-isolated.ts';
import { conflictOf } from './conflict-of.ts';
import { entryDefaults, readEntries } from './plugin-entries.ts';
import type { PluginEntry } from './plugin-entries.ts';
import { fittingPackage } from './fits-version.ts';
import { packageOf } from './package-of.ts';
import type { Package } from './package-of.ts';
import { ownFolder } from './plugin-files.ts';
import { dependenciesOf, localEntry, nothingAt, packageEntry } from './plugin-entry.ts';

/** A plugin that is there, with what the configuration says of it. */
export interface LoadedPlugin extends PluginEntry {
  readonly plugin: Plugin;
  readonly isOfPreset: boolean;
  /** Services of an isolated plugin, which only its own parts can have. */
  readonly ownServices: readonly string[];
  /** Of its package; absent for a file among others. */
  readonly package?: Pick<Package, 'version' | 'description'> | undefined;
}

export interface LoadedPlugins {
  readonly plugins: readonly LoadedPlugin[];
  /** Optional ones that could not be loaded. */
  readonly quarantined: readonly Quarantined[];
  readonly problems: readonly Problem[];
}

/**
 * Loads the plugins of the preset and of the `plugins` key of the configuration, except those that the key switches off.
 * `more`: packages of the preset that run in this role besides.
 */
export async function loadPlugins(
  value: unknown,
  configFolder: string,
  more: readonly string[] = [],
): Promise<LoadedPlugins> {
  const { entries, problems } = readEntries(value);
  const wanted = [...presetEntries(entries, more), ...entries.filter(({ key }) => presetName(key) === undefined)];
  const outcomes = withoutConflicts(await Promise.all(wanted.map((entry) => loadOne(entry, configFolder))));
  return {
    plugins: outcomes.flatMap((outcome) => outcome.plugin ?? []),
    quarantined: outcomes.flatMap((outcome) => outcome.quarantined ?? []),
    problems: [...problems, ...namedTwice(entries), ...outcomes.flatMap((outcome) => outcome.problem ?? [])],
  };
}

interface Outcome {
  plugin?: LoadedPlugin;
  quarantined?: Quarantined;
  problem?: Problem;
}

async function loadOne(entry: PluginEntry, configFolder: string): Promise<Outcome> {
  try {
    const loaded = await importEntry(entry, configFolder);
    return loaded ? { plugin: { ...entry, ownServices: [], isOfPreset: false, ...loaded } } : {};
  } catch (error) {
    return failed(entry, messageOf(error));
  }
}

function failed(entry: PluginEntry, reason: string): Outcome {
  if (entry.isOptional && !entry.isOff) return { quarantined: { plugin: entry.key, reason } };
  return { problem: { path: ['plugins', entry.key], text: reason } };
}

/** Refuses isolated plugins that would take the place of something, and who needs what only they can have. */
function withoutConflicts(outcomes: readonly Outcome[]): Outcome[] {
  const loaded = outcomes.flatMap(({ plugin }) => plugin ?? []);
  return outcomes.map((outcome) => {
    const reason = outcome.plugin && conflictOf(outcome.plugin, loaded);
    return outcome.plugin && reason !== undefined ? failed(outcome.plugin, reason) : outcome;
  });
}

type Imported = Pick<LoadedPlugin, 'plugin'> & Partial<LoadedPlugin>;

async function importEntry(entry: PluginEntry, configFolder: string): Promise<Imported | undefined> {
  const { key, isOff } = entry;
  const ofPreset = presetName(key);
  if (ofPreset !== undefined) return isOff ? undefined : importOfPreset(ofPreset, entry);
  if (isPath(key)) {
    if (isOff) return undefined;
    const file = await localEntry(key, configFolder);
    if (file === undefined) throw new SextantError('not_found', await nothingAt(key, configFolder));
    const found = await fittingPackage(file);
    const loaded = await (entry.isolation === 'process'
      ? importIsolated(file, entry, configFolder)
      : importLocalPlugin(file).then((plugin) => ({ plugin })));
    // A package around a file among others says nothing of it.
    const isOwn = found && dirname(found.manifest) === (await ownFolder(file));
    return { ...loaded, ...(isOwn && { package: found }) };
  }
  const file = await packageEntry(key, configFolder);
  if (file === undefined) throw new SextantError('not_found', await unknownName(key, configFolder));
  if (isOff) return undefined;
  const found = await fittingPackage(file);
  const loaded = await (entry.isolation === 'process'
    ? importIsolated(file, entry, configFolder)
    : importPackagedPlugin(file).then((plugin) => ({ plugin })));
  return { ...loaded, package: found };
}

async function importOfPreset(name: string, { flags }: PluginEntry): Promise<Imported> {
  if (flags['isolation'] === 'process')
    throw new SextantError('invalid_argument', "a plugin of the preset runs in the server's process");
  const file = await packageEntry(name, dirname(fileURLToPath(presetURL)));
  if (file === undefined) throw new SextantError('not_found', `the package ${name} of the preset is not installed`);
  const [plugin, found] = await Promise.all([importPackagedPlugin(file), packageOf(file)]);
  if (plugin.name === shortName(name))
    return { plugin, isolation: 'in-process', isTrusted: true, isOfPreset: true, package: found };
  throw new SextantError(
    'conflict',
    `${file} calls itself ${plugin.name}; the plugin of ${name} must be named ${shortName(name)}`,
  );
}

/** What the configuration says of the plugins of the preset; without a word each runs with its defaults, and an alternative does not. */
function presetEntries(entries: readonly PluginEntry[], more: readonly string[]): PluginEntry[] {
  const saidOf = (name: string): PluginEntry | undefined => entries.find(({ key }) => presetName(key) === name);
  return [
    ...[...preset, ...more].map((name) => saidOf(name) ?? { ...entryDefaults, key: shortName(name) }),
    ...alternatives.flatMap((name) => saidOf(name) ?? []),
  ];
}

function namedTwice(entries: readonly PluginEntry[]): Problem[] {
  return entries.flatMap(({ key }, index) => {
    const earlier = entries
      .slice(0, index)
      .find((other) => presetName(other.key) !== undefined && presetName(other.key) === presetName(key));
    return earlier
      ? [{ path: ['plugins', key], text: `names the same plugin as "${earlier.key}"; keep one of them` }]
      : [];
  });
}

/** A short name may be meant of a package that is installed with a scope. */
async function unknownName(key: string, folder: string): Promise<string> {
  const installed = await dependenciesOf(folder);
  const names = [...[...preset, ...alternatives].map(shortName), ...installed];
  const meant = installed.find((name) => shortName(name) === key) ?? nearest(key, names);
  const hint =
    meant === undefined
      ? `"npm install ${key}" in ${folder} installs one; a file or folder is named by its path, such as "./${shortName(key)}"`
      : `Did you mean "${meant}"?`;
  return `neither a plugin of the preset nor a package that is installed beside the configuration. ${hint}`;
}

const shortName = (packageName: string): string => packageName.slice(packageName.indexOf('/') + 1);

/** The full name of a plugin of the preset that is written short or in full. */
const presetName = (key: string): string | undefined =>
  [...preset, ...alternatives, ...clusterPlugins].find((name) => name === key || shortName(name) === key);

const isPath = (key: string): boolean => /^\.{0,2}\//.test(key);
