import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Files of a branch's commit that let a start skip building it: the files of its snapshot, and the index of its paths. Each
 * can be lost at any time.
 */
type Kind = 'snapshot' | 'paths';

export const commitFile = (folder: string, commit: string, kind: Kind): string => join(folder, `${commit}.${kind}`);

export const isCommitFile = (name: string): boolean => /^[0-9a-f]+\.(?:snapshot|paths)$/.test(name);

/** The file appears as a whole or not at all. */
export async function writeCommitFile(path: string, bytes: Uint8Array): Promise<void> {
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, bytes, { mode: 0o600 });
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Removes the files of all other commits. */
export async function keepOnly(folder: string, commits: ReadonlySet<string>): Promise<void> {
  // A repository without a commit has no folder.
  const names = await readdir(folder).catch(() => []);
  const others = names.filter((name) => isCommitFile(name) && !commits.has(name.split('.', 1)[0] ?? ''));
  for (const name of others) await rm(join(folder, name), { force: true });
}
