import { randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

/**
 * The text of a file of mode 600, made where there is none. Several processes may start at this moment: whoever links first
 * wins, and nobody reads half a file.
 */
export async function readOrMakeSecretFile(path: string, make: () => string): Promise<string> {
  const present = await readIfThere(path);
  if (present !== undefined) return present;
  const beside = await writeBeside(path, make());
  try {
    await link(beside, path);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(beside);
  }
  return readFile(path, 'utf8');
}

/** Writes a secret to a new file with mode 600 in the same folder, ready to be renamed. Returns its path. */
export async function writeBeside(path: string, text: string): Promise<string> {
  const beside = `${path}.${randomUUID()}`;
  await writeFile(beside, text, { mode: 0o600, flag: 'wx', flush: true });
  return beside;
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
