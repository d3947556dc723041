import { createHash } from 'node:crypto';
import { registerHooks } from 'node:module';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readAsModule } from './module-format.ts';

const versionKey = 'sextant-version';

/** The files of each local plugin, by the file that is imported first: what it imported itself, and its folder if it has one. */
const filesOf = new Map<string, Set<string>>();
/** The plugin to which a module belongs, by the URL with its version. */
const pluginOfModule = new Map<string, string>();

/** Every file that the local plugins were made of when they were imported last. */
export const localPluginFiles = (): readonly string[] => [
  ...new Set([...filesOf.values()].flatMap((files) => [...files])),
];

/** Names of the plugins, by the file that is imported first. */
const nameOf = new Map<string, string>();

/** Notes the name of a plugin that was loaded from a file. */
export const notePlugin = (file: string, { name }: { readonly name: string }): void => void nameOf.set(file, name);

/** Names of the plugins that a file is part of. */
export const pluginsWith = (path: string): string[] =>
  [...filesOf].filter(([, files]) => files.has(path)).map(([file]) => nameOf.get(file) ?? file);

/**
 * The URL under which Node imports a local plugin: the same as long as none of its files has changed, a new one after a
 * change. Its relative imports get the same version.
 */
export async function versionedURL(file: string): Promise<URL> {
  const files = new Set([...(filesOf.get(file) ?? [file]), ...(await filesOfFolder(file))]);
  filesOf.set(file, files);
  const url = pathToFileURL(file);
  url.searchParams.set(versionKey, await versionOf([...files]));
  pluginOfModule.set(url.href, file);
  return url;
}

/** Notes the files of a plugin that is imported elsewhere; answers their version. */
export function versionOfFiles(file: string, files: readonly string[]): Promise<string> {
  filesOf.set(file, new Set(files));
  return versionOf(files);
}

/** Called once, before the first import. */
export function passVersionOn(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const found = nextResolve(specifier, context);
      const plugin = pluginOfModule.get(context.parentURL ?? '');
      if (!specifier.startsWith('.') || plugin === undefined) return found;
      const url = new URL(found.url);
      url.searchParams.set(versionKey, new URL(context.parentURL ?? '').searchParams.get(versionKey) ?? '');
      pluginOfModule.set(url.href, plugin);
      filesOf.get(plugin)?.add(fileURLToPath(found.url));
      return { ...found, url: url.href };
    },
    load: (url, context, nextLoad) =>
      pluginOfModule.has(url) ? readAsModule(url, context, nextLoad) : nextLoad(url, context),
  });
}

/** A plugin in a folder of its own is one unit: a change of any of its files imports all of them again. */
async function filesOfFolder(file: string): Promise<string[]> {
  const folder = await ownFolder(file);
  return folder === undefined ? [] : filesBelow(folder);
}

/** The folder that a plugin has to itself; undefined for a file among others. */
export async function ownFolder(file: string): Promise<string | undefined> {
  const folder = basename(dirname(file)) === 'src' ? dirname(dirname(file)) : dirname(file);
  const isOwn =
    /^index\.[mc]?[jt]s$/.test(basename(file)) || (await stat(join(folder, 'package.json')).catch(() => undefined));
  return isOwn ? folder : undefined;
}

/** All files of a folder but those of its packages and hidden ones. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const nested = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    if (entry.isFile()) return [path];
    const isOwn = entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.');
    return isOwn ? filesBelow(path) : [];
  });
  return (await Promise.all(nested)).flat();
}

/** The modules in a folder, but not below it. */
export async function modulesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const modules = entries.filter(
    (entry) => entry.isFile() && /\.[mc]?[jt]s$/.test(entry.name) && !entry.name.startsWith('sextant.config.'),
  );
  return modules.map(({ name }) => join(folder, name));
}

/** Sizes and times of the last change. A file that is put back from a copy has an older time than before. */
export async function versionOf(files: readonly string[]): Promise<string> {
  const states = files.toSorted().map((path) =>
    stat(path).then(
      ({ mtimeMs, size }) => `${path}:${mtimeMs}:${size}`,
      () => `${path}:missing`,
    ),
  );
  return createHash('sha256')
    .update((await Promise.all(states)).join('\n'))
    .digest('hex')
    .slice(0, 16);
}

/** Where in a local plugin an error arose, as `file:line`, as far as its stack or that of its cause tells. */
export function placeInPlugin(error: unknown): string | undefined {
  const files = new Set(localPluginFiles());
  for (let at = error; at instanceof Error; at = at.cause)
    for (const [, url = '', line] of (at.stack ?? '').matchAll(/(file:\/\/[^\s?]+?)(?:\?[^\s:]*)?:(\d+)(?::\d+)?/g)) {
      const file = pathOf(url);
      if (file !== undefined && files.has(file)) return `${file}:${line}`;
    }
  return undefined;
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
