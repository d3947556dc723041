import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { complete, isPlugin, messageOf, pluginKind, pluginProblem, withinTime } from '@sextant/core';
import type { Plugin } from '@sextant/core';
import { formatHint } from './module-format.ts';
import { notePlugin, passVersionOn, versionedURL } from './plugin-files.ts';
import { sharePublicApi } from './plugin-imports.ts';

const loadSeconds = 30;
let isPrepared = false;

/** Imports a plugin of the preset, or of an installed package. Throws an error that says what is wrong with the module. */
export async function importPackagedPlugin(file: string): Promise<Plugin> {
  prepare();
  return pluginOf(file, pathToFileURL(file));
}

/**
 * Imports a plugin that stands beside the configuration: the same value as long as its files are unchanged, a new one
 * after a change of its file, of a module that it imports by a relative path, or of any file in a folder of its own.
 */
export async function importLocalPlugin(file: string): Promise<Plugin> {
  prepare();
  const plugin = await pluginOf(file, await versionedURL(file));
  notePlugin(file, plugin);
  return plugin;
}

function prepare(): void {
  if (isPrepared) return;
  sharePublicApi();
  passVersionOn();
  isPrepared = true;
}

async function pluginOf(file: string, url: URL): Promise<Plugin> {
  // A module may wait at its top for what never comes.
  const imported = importModule(url).catch((error: unknown) => {
    throw new Error(`${placeOf(error, file)} failed while loading: ${messageOf(error)}${formatHint(error)}`, {
      cause: error,
    });
  });
  const module = await withinTime(loadSeconds * 1000, `loading ${file}`, imported);
  const value = module.default;
  if (!isPlugin(value)) throw new Error(`${file} ${whyNoPlugin(value)}`);
  const plugin = complete(value);
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
