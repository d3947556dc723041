import { readFile, readdir, stat } from 'node:fs/promises';
import { findPackageJSON } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean } from '@sextant/core';
import { isPlainObject } from '../config/secrets.ts';

/** The module of an installed package, looked up as an import from that folder would; undefined when it is not installed. */
export async function packageEntry(name: string, fromFolder: string): Promise<string | undefined> {
  const manifest = findManifest(name, fromFolder);
  return manifest === undefined ? undefined : folderEntry(dirname(manifest));
}

/**
 * The module behind a path of the configuration: a file, with or without its extension, or a folder. A package that is
 * being written runs from its source, not from what was built last.
 */
export async function localEntry(path: string, fromFolder: string): Promise<string | undefined> {
  const full = resolve(fromFolder, path);
  const entry = await firstFile([full, ...['.ts', '.mts', '.js', '.mjs'].map((extension) => full + extension)]);
  return entry ?? (await firstFile([join(full, 'src/index.ts')])) ?? folderEntry(full);
}

/** Says that there is no plugin at a path, and what is there that one may have meant. */
export async function nothingAt(path: string, fromFolder: string): Promise<string> {
  const full = resolve(fromFolder, path);
  const isFolder = await stat(full).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (isFolder)
    return `${full} has no plugin: neither a package.json with "exports" or "main", nor an index.ts, index.js or src/index.ts`;
  const beside = await readdir(dirname(full)).catch(() => undefined);
  if (!beside) return `${full} is neither a file nor a folder with a plugin: there is no folder ${dirname(full)}`;
  const names = beside
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .slice(0, mostNames);
  return `${full} is neither a file nor a folder with a plugin; ${dirname(full)} has ${names.join(', ') || 'nothing'}.${didYouMean(basename(full), names)}`;
}

const mostNames = 30;

function findManifest(name: string, fromFolder: string): string | undefined {
  try {
    return findPackageJSON(name, pathToFileURL(join(fromFolder, 'any.js')));
  } catch {
    return undefined;
  }
}

/** Names of the packages that the package of a folder asks for. */
export async function dependenciesOf(folder: string): Promise<string[]> {
  const { dependencies } = await manifestOf(folder).catch((): Record<string, unknown> => ({}));
  return isPlainObject(dependencies) ? Object.keys(dependencies) : [];
}

async function manifestOf(folder: string): Promise<Record<string, unknown>> {
  const manifest: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8').catch(() => '{}'));
  return isPlainObject(manifest) ? manifest : {};
}

async function folderEntry(folder: string): Promise<string | undefined> {
  const manifest = await manifestOf(folder);
  const named = exported(manifest['exports']) ?? manifest['main'];
  const names = typeof named === 'string' ? [named] : ['index.ts', 'index.js', 'src/index.ts'];
  return firstFile(names.map((name) => join(folder, name)));
}

/** What `exports` gives to an import of the package itself (Node, "Conditional exports"). */
function exported(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (Array.isArray(exports)) return exports.map(exported).find((found) => found !== undefined);
  if (!isPlainObject(exports)) return undefined;
  if ('.' in exports) return exported(exports['.']);
  const condition = Object.keys(exports).find(
    (key) => ['node', 'import', 'module-sync', 'default'].includes(key) && exported(exports[key]),
  );
  return condition === undefined ? undefined : exported(exports[condition]);
}

async function firstFile(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths)
    if (
      await stat(path).then(
        (found) => found.isFile(),
        () => false,
      )
    )
      return path;
  return undefined;
}
