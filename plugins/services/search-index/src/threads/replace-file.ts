import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes what can be lost at any time: the file is there as a whole or not at all, also where several processes write it. */
export function replaceFile(path: string, bytes: Uint8Array): void {
  const partial = `${path}.${process.pid}.partial`;
  try {
    writeFileSync(partial, bytes, { mode: 0o600 });
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
