import { readdir, stat } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { completed, isPlugin, messageOf, pluginKind, pluginProblem, withinTime } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import { requireFit } from './fits-version.ts';
import { sharePublicApi } from './plugin-imports.ts';

const loadSeconds = 30;
const versionKey = 'sextant-version';
let isPrepared = false;

/** Imports a plugin of the preset. Throws an error that says what is wrong with the module. */
export async function importPresetPlugin(file: string): Promise<Plugin> {
  prepare();
  return pluginOf(file, pathToFileURL(file));
}

/** Imports an installed plugin. Throws also where its package is made for other versions of Sextant. */
export async function importInstalledPlugin(file: string): Promise<Plugin> {
  await requireFit(file);
  return importPresetPlugin(file);
}

/**
 * Imports a plugin that stands beside the configuration: the same value as long as its files are unchanged, a new one
 * after a change. A plugin in a folder of its own is one unit: a change of any of its files imports all of them again.
 */
export async function importLocalPlugin(file: string): Promise<Plugin> {
  await requireFit(file);
  prepare();
  const url = pathToFileURL(file);
  url.searchParams.set(versionKey, String(await versionOf(file)));
  return pluginOf(file, url);
}

function prepare(): void {
  if (isPrepared) return;
  sharePublicApi();
  passVersionOn();
  isPrepared = true;
}

async function pluginOf(file: string, url: URL): Promise<Plugin> {
  // A module may wait at its top for what never comes.
  const module = await withinTime(loadSeconds * 1000, 'loading it', importModule(url)).catch((error: unknown) => {
    throw new Error(`${placeOf(error, file)} failed while loading: ${messageOf(error)}`, { cause: error });
  });
  const value = module.default;
  if (!isPlugin(value)) throw new Error(`${file} ${whyNoPlugin(value)}`);
  const plugin = completed(value);
  const problem = pluginProblem(plugin);
  if (problem !== undefined) throw new Error(`${file}: ${problem}`);
  return plugin;
}

/** The line of the plugin at which an error arose, as far as its stack tells; the file of the plugin where it does not. */
function placeOf(error: unknown, file: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  for (const folder of [pathToFileURL(dirname(file)).href, dirname(file)]) {
    const at = stack.indexOf(`${folder}/`);
    const [, place, line] =
      (at < 0 ? undefined : /^([^\s?:]+(?::[^\s?:]+)?)(?:\?[^\s:]*)?:(\d+)/.exec(stack.slice(at))) ?? [];
    if (place !== undefined) return `${place.startsWith('file:') ? fileURLToPath(place) : place}:${line}`;
  }
  return file;
}

const importModule = (url: URL): Promise<{ default?: unknown }> => import(url.href);

function whyNoPlugin(value: unknown): string {
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? String(value.kind) : '';
  const [, api] = /^sextant-plugin\/(\d+)$/.exec(kind) ?? [];
  if (api === undefined)
    return 'has no plugin as its default export; it should end with `export default definePlugin({ … })`';
  const isNewer = Number(api) > Number(/\d+$/.exec(pluginKind)?.[0]);
  return `is made for another version of the plugin API (${kind}, and this is ${pluginKind}); it takes ${
    isNewer ? 'a newer Sextant' : 'a newer release of the plugin'
  }`;
}

/** Relative imports of a versioned module get the same version. */
function passVersionOn(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      const parent = context.parentURL;
      if (!specifier.startsWith('.') || parent === undefined || !parent.includes(versionKey)) return found;
      const url = new URL(found.url);
      url.searchParams.set(versionKey, new URL(parent).searchParams.get(versionKey) ?? '');
      return { ...found, url: url.href };
    },
  });
}

/** When the plugin changed last, in milliseconds: its file, or any file of the folder that it has to itself. */
async function versionOf(file: string): Promise<number> {
  const folder = basename(dirname(file)) === 'src' ? dirname(dirname(file)) : dirname(file);
  const ownsFolder =
    /^index\.[mc]?[jt]s$/.test(basename(file)) || (await stat(join(folder, 'package.json')).catch(() => undefined));
  const files = ownsFolder ? await filesBelow(folder) : [file];
  const times = await Promise.all(files.map(async (path) => (await stat(path)).mtimeMs));
  return Math.max(...times);
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    const isOwn = entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.');
    return isOwn ? filesBelow(path) : [];
  });
  return (await Promise.all(nested)).flat();
}
