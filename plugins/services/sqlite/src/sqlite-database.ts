import { basename } from 'node:path';
import { silentLogger } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import { migrateStore } from '@sextant/contracts';
import type { Database, DatabaseStore } from '@sextant/contracts';
import type Sqlite from 'better-sqlite3';
import { Kysely } from 'kysely';
import { SharedFileDialect } from './dialect.ts';
import { reasonOf } from './failure.ts';
import { LogWrites } from './log-writes.ts';
import { Statements } from './statements.ts';

/**
 * One file, one connection, one queue: all stores share them, so that a transaction of one is never interleaved with
 * statements of another.
 */
export class SqliteDatabase implements Database {
  readonly #kysely: Kysely<unknown>;
  readonly #connection: Sqlite.Database;
  readonly #statements: Statements;
  readonly #ofOthers: Sqlite.Statement;
  readonly #logs: LogWrites;
  readonly #log: Pick<Logger, 'debug'>;
  #seenOfOthers: unknown;
  #seenOfOurs: unknown;
  #version = 0;
  /** Since something could not be written or read, until something is written. */
  #failure: { readonly reason: string; readonly since: string } | undefined;

  /** The connection is closed with the database; a statement waits at most so many milliseconds for other processes. */
  constructor(connection: Sqlite.Database, busyMs: number, log: Pick<Logger, 'debug'> = silentLogger) {
    this.#log = log;
    this.#connection = connection;
    this.#statements = new Statements(connection);
    this.#logs = new LogWrites(connection);
    const database = {
      prepare: (sql: string) => this.#logs.watch(sql, this.#statements.prepare(sql)),
      close: () => void connection.close(),
    };
    const isInTransaction = (): boolean => connection.inTransaction;
    const onOutcome = (reason: string | undefined): void => {
      const since = this.#failure?.since ?? new Date().toISOString();
      this.#failure = reason === undefined ? undefined : { reason: `the database cannot be used: ${reason}`, since };
    };
    this.#kysely = new Kysely({ dialect: new SharedFileDialect({ database, busyMs, isInTransaction, onOutcome }) });
    this.#ofOthers = connection.prepare('pragma data_version').pluck();
  }

  async open<Tables>(store: DatabaseStore): Promise<Kysely<Tables>> {
    const [db, databaseName] = [this.#kysely, this.#connection.name];
    await migrateStore({ db, store, databaseName, reasonOf, log: this.#log });
    this.#statements.clear();
    this.#logs.add(store.name, store.isLog ?? false);
    // The tables are those that the migrations just made.
    return this.#kysely as unknown as Kysely<Tables>;
  }

  async version(): Promise<number> {
    const [ofOthers, ofOurs] = [this.#ofOthers.get(), this.#logs.otherChanges()];
    if (ofOthers !== this.#seenOfOthers || ofOurs !== this.#seenOfOurs) this.#version += 1;
    [this.#seenOfOthers, this.#seenOfOurs] = [ofOthers, ofOurs];
    return this.#version;
  }

  /** One host alone can have a file. */
  async exclusively(_name: string, work: () => Promise<void>): Promise<boolean> {
    await work();
    return true;
  }

  status(): ServiceStatus {
    const failures = this.#failure && [{ name: basename(this.#connection.name), ...this.#failure }];
    return { isReady: !failures, detail: {}, ...(failures && { failures }) };
  }

  /** Leaves one file: what the journal holds is moved into it, unless another process still has it open. */
  async close(): Promise<void> {
    await this.#kysely.destroy();
    // Kysely closes what it has used; a database that nobody asked anything is closed here.
    this.#connection.close();
  }
}
