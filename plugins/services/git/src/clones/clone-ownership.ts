import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readNote } from './notes.ts';

/**
 * Says which process works on a clone, by its number and start time. In a container, every start of the server has the
 * same number.
 */
const own = `${process.pid}-${Math.round(performance.timeOrigin)}`;

/** The name of a folder that becomes a clone once it is complete. */
export const partialName = (id: string): string => `partial-${own}-${id}`;

/** Renames a clone that is to be removed, so that what is removed half-way is not taken for one. Answers its path in the folder of all clones. */
export function moveAside(path: string, { root, why }: { root: string; why: string }): string {
  const gone = join(root, partialName(`${why}-${randomUUID()}`));
  renameSync(path, gone);
  return gone;
}

/** Whether such a folder was left behind by a process that is no more. */
export function isAbandoned(name: string): boolean {
  const owner = /^partial-(\d+-\d+)-/.exec(name)?.[1];
  return owner !== undefined && !isAlive(owner);
}

/** Marks a clone as being worked on; undefined while another generation or process works on it. */
export function ownClone(file: string): (() => void) | undefined {
  try {
    const descriptor = openSync(file, 'wx', 0o600);
    writeSync(descriptor, own);
    closeSync(descriptor);
    return () => rmSync(file, { force: true });
  } catch (error) {
    if (!isTaken(error)) throw error;
  }
  if (isAlive(readNote(file) ?? '')) return undefined;
  rmSync(file, { force: true });
  return ownClone(file);
}

/** Removes the locks and half packs that a killed git left: git itself touches them often. */
export function removeLeftovers(folder: string, olderThanMs: number): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.lock$|^tmp_/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat && stat.mtimeMs < Date.now() - olderThanMs) rmSync(file, { force: true });
  }
}

const isTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

function isAlive(owner: string): boolean {
  const pid = Number.parseInt(owner, 10);
  if (!(pid > 0)) return false;
  if (pid === process.pid) return owner === own;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
