import { createRequire } from 'node:module';
import { CallRecorder } from '@sextant/core';
import type { CallRecord } from '@sextant/core';
import { startPlugins } from '@sextant/core/testing';
import { presetURL } from '@sextant/preset';
import directory from '../../../plugins/services/directory/src/index.ts';
import sqlite from '../../../plugins/services/sqlite/src/index.ts';
import usage from '../../../plugins/services/usage/src/index.ts';
import { Recorder } from '../../../plugins/services/usage/src/recording/recorder.ts';

/** As much of better-sqlite3 as benchmarks use; only one package depends on it. */
interface BareDatabase {
  exec(sql: string): void;
  prepare(sql: string): { run(...values: unknown[]): unknown; iterate(): Iterable<unknown> };
  pragma(setting: string): unknown;
  close(): void;
}

/** A database of the library that the server uses, with the same settings. */
export function openDatabase(file: string): BareDatabase {
  const service = createRequire(presetURL).resolve('@sextant/service-sqlite');
  // The package is found by its path, so its types are not.
  const Database = createRequire(service)('better-sqlite3') as new (file: string) => BareDatabase;
  const db = new Database(file);
  for (const setting of ['journal_mode = wal', 'synchronous = normal', 'cache_size = -16384']) db.pragma(setting);
  return db;
}

/** The plugin that records, without a server around it. */
export async function startRecorder(
  data: string,
): Promise<{ record(record: CallRecord): void; flush(): Promise<void> } & AsyncDisposable> {
  const started = await startPlugins(data, [[sqlite], [directory], [usage, { eventDays: 36_500 }]]);
  const { recorder } = started.services.resolve({ recorder: CallRecorder });
  if (!(recorder instanceof Recorder)) throw new Error('another plugin records');
  return {
    record: (record) => recorder.record(record),
    flush: () => recorder.flush(),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}
