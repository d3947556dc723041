import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/**
 * Files of a branch's commit that let a start skip building it: the files of its snapshot, and the index of its paths. Each
 * can be lost at any time. A kind whose bytes change gets another name: what a former version wrote has a good checksum, too.
 */
type Kind = 'snapshot' | 'paths';

const checksumBytes = 4;

export const commitFile = (folder: string, commit: string, kind: Kind): string => join(folder, `${commit}.${kind}`);

export const isCommitFile = (name: string): boolean => /^[0-9a-f]+\.(?:snapshot|paths)$/.test(name);

/** Undefined where there is no file, or it is damaged. */
export async function readCommitFile(path: string): Promise<Buffer | undefined> {
  const file = await readFile(path).catch(() => undefined);
  if (!file || file.length < checksumBytes) return undefined;
  const bytes = file.subarray(checksumBytes);
  return file.readUInt32LE(0) === crc32(bytes) ? bytes : undefined;
}

/** The file appears as a whole or not at all. */
export async function writeCommitFile(path: string, bytes: Uint8Array): Promise<void> {
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32LE(crc32(bytes));
  const partial = `${path}.${process.pid}.partial`;
  try {
    await writeFile(partial, [checksum, bytes], { mode: 0o600 });
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
