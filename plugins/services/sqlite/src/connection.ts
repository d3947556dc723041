import { chmodSync, closeSync, openSync } from 'node:fs';
import { SextantError, messageOf } from '@sextant/core';
import Sqlite from 'better-sqlite3';

/** Seconds that a statement waits while another process writes. */
const busySeconds = 10;

/** The one way a database file is opened. Throws `unavailable` that names the file and says what to do. */
export function connect(file: string): Sqlite.Database {
  try {
    // Made before SQLite would make it with the modes of the process; the journal files take its mode.
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    const connection = new Sqlite(file, { timeout: busySeconds * 1000 });
    applyPolicy(connection);
    return connection;
  } catch (error) {
    throw new SextantError('unavailable', `the database ${file} cannot be opened: ${explain(error)}`, { cause: error });
  }
}

function applyPolicy(connection: Sqlite.Database): void {
  // Readers and one writer do not wait for each other; other processes (the command line) work beside the server.
  connection.pragma('journal_mode = WAL');
  // In WAL mode a crash of the process loses nothing; a power failure may lose the last commits, never consistency.
  connection.pragma('synchronous = NORMAL');
  connection.pragma('foreign_keys = ON');
  // A file from elsewhere must not run code through its schema.
  connection.pragma('trusted_schema = OFF');
  connection.pragma('cache_size = -16384');
  connection.prepare('select count(*) from sqlite_schema').get();
}

function explain(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return 'it is damaged or no database; restore it from a backup, or move it away to begin with an empty one';
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY|SQLITE_CANTOPEN)/.test(code))
    return 'this user may not read and write it and its folder; change their owner or mode, or choose another folder with --data';
  if (/^(ENOSPC|SQLITE_FULL)/.test(code)) return 'the disk is full';
  if (code.startsWith('SQLITE_BUSY')) return `another program has locked it for more than ${busySeconds} s`;
  return messageOf(error);
}
