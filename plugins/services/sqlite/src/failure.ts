import { SextantError, messageOf } from '@sextant/core';

const reasons: readonly (readonly [RegExp, string])[] = [
  [
    /^SQLITE_(NOTADB|CORRUPT)/,
    'it is damaged or no database; restore it from a backup, or move it away to begin with an empty one',
  ],
  [/^(EISDIR|SQLITE_CANTOPEN_ISDIR)$/, 'a folder of that name is in the way; move it away'],
  [/^(ENOENT|ENOTDIR)$/, 'its folder does not exist'],
  [
    /^(EACCES|EPERM|SQLITE_(READONLY|CANTOPEN|PERM|AUTH))/,
    'no permission to read and write it and its folder; change their owner or mode, or choose another folder with --data DIR',
  ],
  [/^EROFS$/, 'the file system is read-only; choose another folder with --data DIR'],
  [/^(ENOSPC|EDQUOT|SQLITE_FULL)$/, 'the disk is full'],
  [/^(SQLITE_BUSY|SQLITE_LOCKED)/, 'another program is writing to it and does not come to an end; try again'],
  [
    /^SQLITE_IOERR_WRITE$/,
    'the operating system does not let it be written: its disk is read-only or fails, or files may not be so large (ulimit -f)',
  ],
  [/^(EIO|EMFILE|ENFILE|SQLITE_IOERR)/, 'the operating system could not read or write it'],
];

/** Whether another process is writing just now. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^SQLITE_(BUSY|LOCKED)/.test(String(error.code));

/**
 * What is wrong with a database file and what to do about it; undefined when the failure is none of the file, but of
 * what was asked of it.
 */
export function reasonOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const found = reasons.find(([pattern]) => pattern.test(code));
  return found && (code.startsWith('SQLITE_IOERR') ? `${found[1]} (${code}: ${messageOf(error)})` : found[1]);
}

/** A failure of the file as callers may be told, without where it lies; anything else as it is. */
export function toldFailure(error: unknown): unknown {
  const reason = reasonOf(error);
  return reason === undefined
    ? error
    : new SextantError('unavailable', `the database cannot be used: ${reason}`, { retryAfterSeconds: 1, cause: error });
}
