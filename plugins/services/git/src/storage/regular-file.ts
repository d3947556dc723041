import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { isOutOfDescriptors } from '@sextant/core';

const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface OpenOptions {
  /** Where too many files are open: whether the file counts as none, or the error of the system is thrown. */
  readonly whenFull?: 'skip' | 'throw';
}

/**
 * Opens a file of a repository that others may write to: the one way in which the server does. Undefined unless it is a regular file that
 * is reached through no link; it is never waited for, as a named pipe would be. Whoever opens it closes it.
 */
export function openRegular(file: string, { whenFull = 'skip' }: OpenOptions = {}): number | undefined {
  let descriptor;
  try {
    // A linked folder on the way leads elsewhere as a linked file does.
    if (realpathSync.native(file) !== file) return undefined;
    descriptor = openSync(file, flags);
  } catch (error) {
    if (whenFull === 'throw' && isOutOfDescriptors(error)) throw error;
    return undefined;
  }
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  return undefined;
}

/** The first bytes of such a file. */
export function readRegular(file: string, maxBytes: number, options?: OpenOptions): Buffer | undefined {
  const descriptor = openRegular(file, options);
  if (descriptor === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(Math.min(maxBytes, fstatSync(descriptor).size));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch {
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}
