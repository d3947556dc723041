import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Where the index of a repository is, below the folder of all: names of repositories may be no names of files. */
export const folderOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32);

const isFolderName = /^[0-9a-f]{32}$/;

/** Removes the indexes of all but these repositories. Who still searches one has its files open. */
export function removeOthers(folder: string, names: readonly string[]): void {
  const kept = new Set(names.map(folderOf));
  for (const each of foldersIn(folder))
    if (isFolderName.test(each) && !kept.has(each)) rmSync(join(folder, each), { recursive: true, force: true });
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    // Nothing is indexed yet.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
