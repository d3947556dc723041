import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

/** Writes a file that is there as a whole or not at all, also where several threads and processes write it; `isDurable`: it is on the disk by then, else it can be lost at any time. */
export function replaceFile(path: string, bytes: Uint8Array, { isDurable = false } = {}): void {
  const partial = `${path}.${process.pid}-${threadId}.partial`;
  try {
    const descriptor = openSync(partial, 'w', 0o600);
    try {
      writeFileSync(descriptor, bytes);
      if (isDurable) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}
