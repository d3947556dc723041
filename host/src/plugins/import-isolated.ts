import { readdir, realpath, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { SextantError } from '@sextant/core';
import type { Logger, Plugin } from '@sextant/core';
import { preset, presetURL } from '@sextant/preset';
import { loadIsolated } from '../isolation/isolated-plugin.ts';
import { createLog } from '../log/log.ts';
import { packageEntry } from './plugin-entry.ts';
import type { PluginEntry } from './plugin-entries.ts';
import { filesBelow, modulesIn, notePlugin, ownFolder, versionOfFiles } from './plugin-files.ts';

interface ImportedIsolated {
  plugin: Plugin;
  /** Names of the services that only its own parts can have. */
  ownServices: readonly string[];
}

const imported = new Map<string, { version: string; imported: ImportedIsolated }>();

/**
 * A plugin that runs in a process of its own: the same value as long as its files and what the operator says of it are
 * unchanged. Nothing of it is run in this process.
 */
export async function importIsolated(
  found: string,
  { allow, memoryMegabytes }: Pick<PluginEntry, 'allow' | 'memoryMegabytes'>,
  configFolder: string,
): Promise<ImportedIsolated> {
  // A package may be linked to where it is written. Node resolves its imports from there.
  const file = await realpath(found);
  const { files, readable } = await readableOf(file, configFolder);
  const version = `${await versionOfFiles(file, files)} ${allow.join()} ${memoryMegabytes}`;
  const known = imported.get(file);
  if (known?.version === version) return known.imported;
  const { publicAPI, folders } = await publicPackages();
  const isolation = { file, publicAPI, memoryMegabytes, allowed: allow, readable: [...readable, ...folders] };
  const { plugin, described } = await loadIsolated(isolation, loadingLog());
  const now = { plugin, ownServices: described.provides };
  imported.set(file, { version, imported: now });
  notePlugin(file, described);
  return now;
}

const loadingLog = (): Logger => createLog('warn');

interface Readable {
  files: readonly string[];
  /** What the process may read of them; a folder ends with a slash. */
  readable: readonly string[];
}

/**
 * A folder that the plugin has to itself. Of a file among others, the modules beside it: below them may be repositories.
 * A folder with the configuration is no plugin's own.
 */
async function readableOf(file: string, configFolder: string): Promise<Readable> {
  const folder = await ownFolder(file);
  const packages = await packageFolders(dirname(file));
  if (folder === undefined || `${configFolder}${sep}`.startsWith(`${folder}${sep}`)) {
    const modules = await modulesIn(dirname(file));
    return { files: modules, readable: [...modules, ...packages] };
  }
  await requireClosed(folder);
  const files = await filesBelow(folder);
  return { files, readable: [`${folder}${sep}`, ...packages] };
}

/** Node's permission model follows links. Those of a plugin must end in its folder, or at an installed package. */
async function requireClosed(folder: string): Promise<void> {
  const inside = `${await realpath(folder)}${sep}`;
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const link = join(entry.parentPath, entry.name);
    const target = await realpath(link).catch(() => undefined);
    if (target === undefined || target.startsWith(inside) || target.includes(`${sep}node_modules${sep}`)) continue;
    throw new SextantError('invalid_argument', `${link} leads out of the folder of its plugin, to ${target}`);
  }
}

/** The packages that an import from a folder may find. */
async function packageFolders(from: string): Promise<string[]> {
  const found: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules');
    if ((await stat(packages).catch(() => undefined))?.isDirectory()) found.push(`${packages}${sep}`);
    if (folder === dirname(folder)) return found;
  }
}

/** The host does not depend on it; plugins of the preset do. */
const contractsPackage = ['@sextant', 'contracts'].join('/');

let packages: Promise<{ publicAPI: string; folders: readonly string[] }> | undefined;

/** What the process needs of ours: its program, core, and the contracts. */
const publicPackages = (): NonNullable<typeof packages> => (packages ??= findPublicPackages());

async function findPublicPackages(): NonNullable<typeof packages> {
  const host = fileURLToPath(new URL('../../', import.meta.url));
  const manifests = [findPackageJSON('@sextant/core', import.meta.url)];
  for (const name of preset) {
    const entry = await packageEntry(name, dirname(fileURLToPath(presetURL)));
    const contracts =
      entry === undefined ? undefined : attempt(() => findPackageJSON(contractsPackage, pathToFileURL(entry)));
    if (contracts === undefined) continue;
    manifests.push(contracts);
    break;
  }
  const own = await Promise.all(manifests.flatMap((path) => path ?? []).map((path) => realpath(dirname(path))));
  const folders = [host, ...own.map((folder) => `${folder}${sep}`)];
  for (const folder of [host, ...own]) folders.push(...(await packageFolders(folder)));
  const contracts = own.at(-1) ?? host;
  return { publicAPI: pathToFileURL(join(contracts, 'package.json')).href, folders: [...new Set(folders)] };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
