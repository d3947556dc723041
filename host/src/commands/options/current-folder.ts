import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { UsageError } from './usage-error.ts';

let isLeft = false;

/**
 * Goes to the root from a folder that is gone, or below one that the account may not look into, as `runuser` and `sudo`
 * give it: git and Node need one that can be read.
 */
export function leaveClosedFolder(): void {
  try {
    statSync(process.cwd());
  } catch {
    process.chdir('/');
    isLeft = true;
  }
}

/** Throws `UsageError` where the current folder was left, and one of these paths is relative or, as undefined, not given. */
export function requireCurrentFolder(paths: readonly (string | undefined)[]): void {
  if (!isLeft || paths.every((path) => path !== undefined && isAbsolute(path))) return;
  throw new UsageError(
    'the current folder cannot be read: go to another, or give full paths, as --config FILE and --data DIR',
  );
}
