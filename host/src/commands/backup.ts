import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { SextantError, messageOf } from '@sextant/core';
import type { DataFile } from '@sextant/core';
import type { Command } from 'commander';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { codeOf, dataFolderAt, servingMark } from '../server/data-folder.ts';
import { withCommonOptions } from './options/common-options.ts';
import { openSession } from './session.ts';
import { print } from './terminal/terminal.ts';
import { dataParent, sourceOf, typedPath, workingDirectory } from './options/working-directory.ts';
import type { CommonOptions } from './options/working-directory.ts';

interface Options extends CommonOptions {
  json?: true;
}

/** Says what is in a backup; written last. */
const listName = 'backup.json';
const listFormat = 1;

const list = z.object({
  format: z.literal(listFormat),
  /** Of the program that made it. */
  version: z.string(),
  madeAt: z.iso.datetime(),
  files: z.array(z.object({ path: z.string(), bytes: z.int().min(0), sha256: z.string() })),
});

type List = z.output<typeof list>;
type ListedFile = List['files'][number];

/** `sextant backup FOLDER` and `sextant restore FOLDER` */
export function addBackupCommands(program: Command): void {
  withCommonOptions(program.command('backup'))
    .argument('<folder>', 'where to write it; must be missing or empty')
    .description('copy what cannot be built again; the server may run meanwhile')
    .action(backup);
  withCommonOptions(program.command('restore'))
    .argument('<folder>', 'a backup')
    .description('put a backup into a data folder that is missing or empty')
    .action(restore);
}

async function backup(named: string, options: Options): Promise<void> {
  const { source, configuration } = await openSession(options);
  const data = dataFolderAt(options.data, dataParent(source));
  const target = typedPath(named);
  if (isInside(target, data)) throw wrong(`${target} is inside the data folder ${data}; choose another`);
  await requireEmpty(target);
  const dataFiles = configuration.plugins.flatMap(({ plugin }) => plugin.dataFiles);
  const files = await fill(target, async (folder) => {
    const copied = await copyData({ from: data, to: folder, dataFiles });
    const made: List = {
      format: listFormat,
      version: manifest.version,
      madeAt: new Date().toISOString(),
      files: copied,
    };
    await writeFile(join(folder, listName), `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
    return copied;
  });
  const rebuilt = rebuiltPaths(dataFiles);
  const leftOut = (await readdir(data)).filter((name) => rebuilt.has(name)).sort();
  const summary = `backed up ${said(files)} to ${target}`;
  write(options, { folder: target, files, leftOut }, [summary, ...built(leftOut)].join('\n'));
}

const rebuiltPaths = (dataFiles: readonly DataFile[]): Set<string> =>
  new Set([servingMark, ...dataFiles.filter(({ isRebuilt }) => isRebuilt).map(({ path }) => path)]);

/** Copies what the server does not make again, as it is at one moment. */
export async function copyData({
  from,
  to,
  dataFiles,
}: {
  from: string;
  to: string;
  dataFiles: readonly DataFile[];
}): Promise<ListedFile[]> {
  const copies = new Map(dataFiles.flatMap(({ path, copy }): [string, DataFile['copy']][] => [[path, copy]]));
  const copied: ListedFile[] = [];
  for (const path of await pathsIn(from, rebuiltPaths(dataFiles))) {
    const file = await copyOne({ path, from, to, copy: copies.get(path) });
    if (file) copied.push(file);
  }
  return copied;
}

async function restore(named: string, options: Options): Promise<void> {
  const from = typedPath(named);
  const data = dataFolderAt(options.data, dataParent(await sourceOf(options, [], workingDirectory())));
  const { files, madeAt, version } = await readList(from);
  await requireEmpty(data);
  await fill(data, async (folder) => {
    for (const file of files) {
      const { sha256 } = (await copyOne({ path: file.path, from, to: folder })) ?? {};
      if (sha256 === file.sha256) continue;
      throw wrong(
        `${join(from, file.path)} is ${sha256 === undefined ? 'missing' : 'not as it was when the backup was made'}; use another backup`,
      );
    }
  });
  const text = `restored ${said(files)} of ${madeAt} (version ${version}) to ${data}\nStart the server: indexes and clones are made again.`;
  write(options, { folder: data, files, madeAt, version }, text);
}

const wrong = (message: string): SextantError => new SextantError('invalid_argument', message);

const said = (files: readonly ListedFile[]): string =>
  `${files.length} files, ${(files.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6).toFixed(1)} MB,`;

const built = (names: readonly string[]): string[] =>
  names.length === 0 ? [] : [`left out, because the server makes it again: ${names.join(', ')}`];

const write = ({ json }: Options, data: unknown, text: string): void =>
  print(json ? JSON.stringify(data, null, 2) : text);

const isInside = (path: string, folder: string): boolean => {
  const way = relative(folder, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || resolve(way) === way);
};

/** Throws `invalid_argument` for a file, and for a folder that holds more than a new data folder does, or a backup that was cut off. */
async function requireEmpty(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw wrong(`${folder} cannot be used: ${messageOf(error)}`);
  });
  if (names.some((name) => !['.gitignore', unfinishedName].includes(name)))
    throw wrong(`${folder} is not empty; name a folder that is missing or empty`);
}

/** Where a folder is filled: in itself, because it may be a volume of its own. */
const unfinishedName = '.unfinished';

/** Fills a folder and moves what is in it to its place when it is whole: half a backup is never taken for one. */
async function fill<T>(folder: string, work: (unfinished: string) => Promise<T>): Promise<T> {
  const unfinished = join(folder, unfinishedName);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  try {
    const done = await work(unfinished);
    for (const name of (await readdir(unfinished)).sort(listLast))
      await rename(join(unfinished, name), join(folder, name));
    return done;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

const listLast = (a: string, b: string): number => Number(a === listName) - Number(b === listName);

/** Files of a folder by their paths in it; links and other special files are none. */
async function pathsIn(root: string, leftOut: ReadonlySet<string>, below = ''): Promise<string[]> {
  const entries = await readdir(join(root, below), { withFileTypes: true }).catch((error: unknown) => {
    if (below === '') throw wrong(`there is no data folder ${root}: ${messageOf(error)}`);
    return [];
  });
  const paths: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (leftOut.has(path)) continue;
    if (entry.isDirectory()) paths.push(...(await pathsIn(root, leftOut, path)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}

interface Copying {
  path: string;
  from: string;
  to: string;
  copy?: DataFile['copy'];
}

/** Undefined for a file that was removed meanwhile. */
async function copyOne({ path, from, to, copy = copyPlain }: Copying): Promise<ListedFile | undefined> {
  const [source, target] = [join(from, path), join(to, path)];
  try {
    if (!(await lstat(source)).isFile()) return undefined;
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await copy(source, target);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  await chmod(target, 0o600);
  const { size: bytes } = await lstat(target);
  return { path, bytes, sha256: await sha256Of(target) };
}

const copyPlain = (from: string, to: string): Promise<void> =>
  copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Throws `invalid_argument` for a folder that is no backup, or not of this program. */
async function readList(folder: string): Promise<List> {
  const text = await readFile(join(folder, listName), 'utf8').catch((error: unknown) => {
    throw wrong(`${folder} is no backup: ${messageOf(error)}`);
  });
  const parsed = list.safeParse(parseJson(text));
  if (!parsed.success) throw wrong(`${join(folder, listName)} is damaged, or of a newer version of this program`);
  const outside = parsed.data.files.find(({ path }) => !isInside(join(folder, path), folder));
  if (outside) throw wrong(`${join(folder, listName)} is damaged: it names ${JSON.stringify(outside.path)}`);
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
