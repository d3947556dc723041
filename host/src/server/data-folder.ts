import { access, constants, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SextantError, messageOf } from '@sextant/core';

/**
 * The folder for everything that is kept. It is made if it is missing, with mode 700. Git ignores it, because it may be
 * inside a work tree that is served. Throws `unavailable` if it cannot be used.
 */
export async function openDataFolder(named: string | undefined, beside: string): Promise<string> {
  const folder = dataFolderAt(named, beside);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await requireWritable(folder);
    await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(unlessExists);
    return folder;
  } catch (error) {
    throw new SextantError(
      'unavailable',
      `the data folder ${folder} cannot be used: ${why(error)}; choose another with --data DIR`,
      { cause: error },
    );
  }
}

/** Where the data folder is, as `--data` says or beside the configuration. */
export const dataFolderAt = (named: string | undefined, beside: string): string =>
  resolve(named ?? join(beside, '.sextant'));

async function requireWritable(folder: string): Promise<void> {
  if (!(await stat(folder)).isDirectory()) throw new Error('it is not a folder');
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

function unlessExists(error: unknown): void {
  if (codeOf(error) !== 'EEXIST') throw error;
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'no permission to read and write it',
  EPERM: 'no permission to read and write it',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EEXIST: 'a file of that name is in the way',
  ENOTDIR: 'a file is in the way',
};

const why = (error: unknown): string => reasons[codeOf(error) ?? ''] ?? messageOf(error);

/** The code of an error of the operating system. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

/** Says whether a server is running on a data folder; what is left of one that was killed is found by the next. */
export const servingMark = 'serving';

/**
 * Marks the data folder as that of a running server. Answers whether the server before did not come to its end, and what
 * removes the mark. Where another one runs beside, nothing is marked.
 */
export async function markServing(dataFolder: string): Promise<{ wasKilled: boolean; unmark(): Promise<void> }> {
  const path = join(dataFolder, servingMark);
  const before = Number(await readFile(path, 'utf8').catch(() => ''));
  // In a container every process may have the number that the one before had.
  if (before > 0 && before !== process.pid && isRunning(before)) return { wasKilled: false, unmark: async () => {} };
  await writeFile(path, String(process.pid), { mode: 0o600 });
  return { wasKilled: before > 0, unmark: () => rm(path, { force: true }) };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
