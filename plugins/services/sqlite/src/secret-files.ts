import { randomUUID } from 'node:crypto';
import { link, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Secrets } from '@sextant/contracts';
import { messageOf } from '@sextant/core';
import type { Diagnosis } from '@sextant/core';

/** Each secret is a file of mode 600 beside the database, which its copy does not contain. */
export class SecretFiles implements Secrets {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Several processes may start at this moment: whoever links first wins, and nobody reads half a file. */
  async readOrMake(name: string, make: () => string): Promise<string> {
    const path = this.#pathOf(name);
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

  async replace(name: string, secret: string): Promise<void> {
    const path = this.#pathOf(name);
    await rename(await writeBeside(path, secret), path);
  }

  #pathOf(name: string): string {
    if (!/^[a-z][a-z0-9.-]*$/.test(name)) throw new Error(`the name of a secret "${name}" must be that of a file`);
    return join(this.#folder, name);
  }
}

/** For `sextant doctor`: those of a form that can be checked. */
export async function diagnoseSecrets(folder: string): Promise<Diagnosis[]> {
  const names = await readdir(folder).catch(() => []);
  const states = names.filter((name) => name.endsWith('.json')).map((name) => diagnoseSecret(folder, name));
  return (await Promise.all(states)).filter((state) => state !== undefined);
}

async function diagnoseSecret(folder: string, name: string): Promise<Diagnosis | undefined> {
  try {
    JSON.parse(await readFile(join(folder, name), 'utf8'));
    return undefined;
  } catch (error) {
    // The message of a parser would quote the secret.
    const problem = error instanceof SyntaxError ? 'is damaged; restore it' : `cannot be read: ${messageOf(error)}`;
    return { what: 'secrets', state: 'wrong', text: `${name} ${problem}` };
  }
}

/** Writes a file of mode 600 in the same folder, ready to be renamed. Returns its path. */
async function writeBeside(path: string, text: string): Promise<string> {
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
