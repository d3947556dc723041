import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { configFileFor } from '../../config/config.ts';
import type { ConfigSource } from '../../config/config.ts';
import { requireCurrentFolder } from './current-folder.ts';
import { UsageError } from './usage-error.ts';

/** The options that every command has. */
export interface CommonOptions {
  config?: string;
  data?: string;
}

/**
 * The folder in which the command was typed. npm runs scripts in the folder of the package, and keeps the original one
 * in INIT_CWD.
 */
export function workingDirectory(env: NodeJS.ProcessEnv = process.env, cwd = process.cwd()): string {
  const { INIT_CWD: initial, npm_package_json: manifest } = env;
  return initial && manifest && dirname(manifest) === cwd ? initial : cwd;
}

/** A path that was typed. Throws `UsageError` for a relative one in a folder that cannot be read. */
export function typedPath(path: string): string {
  requireCurrentFolder([path]);
  return resolve(workingDirectory(), path);
}

/**
 * The configuration that the flags name. With no configuration and no `--repos` it is the git repository that one stands
 * in. Throws `UsageError` for flags that name what is not there.
 */
export async function sourceOf(
  { config, data }: CommonOptions,
  repos: readonly string[],
  from: string,
): Promise<ConfigSource> {
  requireCurrentFolder([config, ...(data === undefined ? [] : [data]), ...repos]);
  const named = config === undefined ? undefined : resolve(from, config);
  if (named !== undefined && !(await isThere(named)))
    throw new UsageError(`--config: the file ${config} does not exist`);
  const folders = repos.map((folder) => resolve(from, folder));
  for (const [index, folder] of folders.entries())
    if (!(await isFolder(folder))) throw new UsageError(`--repos: the folder ${repos[index]} does not exist`);
  const file = await configFileFor(named, from);
  const standingIn = file === undefined && folders.length === 0 ? await findRepository(from) : undefined;
  return { file, workingDirectory: from, repositories: standingIn === undefined ? folders : [standingIn] };
}

/** The folder in which `.sextant` stands unless `--data` says otherwise. */
export const dataParent = ({ file, workingDirectory: folder }: ConfigSource): string =>
  file === undefined ? folder : dirname(file);

/** The top of the work tree, or the bare repository, that a folder belongs to. */
async function findRepository(from: string): Promise<string | undefined> {
  for (let folder = from; ; folder = dirname(folder)) {
    if ((await isThere(join(folder, '.git'))) || (await isBareRepository(folder))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

async function isBareRepository(folder: string): Promise<boolean> {
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => isThere(join(folder, name))));
  return parts.every(Boolean);
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
