import { chmodSync, closeSync, existsSync, openSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { SextantError, messageOf } from '@sextant/core';
import type { Diagnosis } from '@sextant/core';
import Sqlite from 'better-sqlite3';
import { z } from 'zod';
import { reasonOf } from './failure.ts';

/** SQLite waits without letting anything else run: most writes of others end in that time, and after it we wait ourselves. */
const longestBlockMs = 3;

/**
 * The one way a database file is opened; until it is, it waits at most so many milliseconds while another process writes.
 * Throws `unavailable` that names the file and says what to do.
 */
export async function connect(file: string, busyMs: number): Promise<Sqlite.Database> {
  let connection: Sqlite.Database | undefined;
  try {
    makePrivate(file);
    connection = new Sqlite(file, { timeout: busyMs });
    await writeAhead(connection, busyMs);
    applyPolicy(connection);
    connection.pragma(`busy_timeout = ${Math.min(busyMs, longestBlockMs)}`);
    return connection;
  } catch (error) {
    connection?.close();
    throw new SextantError(
      'unavailable',
      `the database ${file} cannot be opened: ${reasonOf(error) ?? messageOf(error)}`,
      { cause: error },
    );
  }
}

/** Copies a database as it is at one moment, while others write to it. */
export async function copyDatabase(from: string, to: string): Promise<void> {
  const connection = new Sqlite(from, { fileMustExist: true });
  try {
    connection.prepare('VACUUM INTO ?').run(to);
  } finally {
    connection.close();
  }
}

/** For `sextant doctor`: reads the whole file, and changes nothing. */
export function diagnoseFile(file: string): Diagnosis {
  const what = 'database';
  if (!existsSync(file)) return { what, state: 'fine', text: `${file} is made at the first start` };
  let connection: Sqlite.Database | undefined;
  try {
    connection = new Sqlite(file, { fileMustExist: true, readonly: true });
    const found = z.string().parse(connection.pragma('quick_check(1)', { simple: true }));
    if (found === 'ok') return { what, state: 'fine', text: `${file} is whole` };
    return { what, state: 'wrong', text: `${file} is damaged (${found}); restore a backup: sextant restore` };
  } catch (error) {
    return { what, state: 'wrong', text: `${file} cannot be read: ${reasonOf(error) ?? messageOf(error)}` };
  } finally {
    connection?.close();
  }
}

/** Made before SQLite would make it with the modes of the process; the files of its journal take over its mode. */
function makePrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
}

/**
 * Readers and one writer do not wait for each other, so that other processes (the command line) work beside the server.
 * Of two processes that switch a new file at once SQLite refuses one without waiting: it has to ask again.
 */
async function writeAhead(connection: Sqlite.Database, busyMs: number): Promise<void> {
  const deadline = performance.now() + busyMs;
  for (;;)
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!(error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY') || performance.now() >= deadline)
        throw error;
      await setTimeout(5);
    }
}

function applyPolicy(connection: Sqlite.Database): void {
  // In WAL mode a crash of the process loses nothing; a power failure may lose the last commits, never consistency.
  connection.pragma('synchronous = NORMAL');
  connection.pragma('foreign_keys = ON');
  // A file from elsewhere must not run code through its schema.
  connection.pragma('trusted_schema = OFF');
  // 16 MiB: what is asked often stays in memory. The file is not mapped: an I/O error in a mapped page would end the process.
  connection.pragma('cache_size = -16384');
}
