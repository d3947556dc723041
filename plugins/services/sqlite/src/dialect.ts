import { setTimeout } from 'node:timers/promises';
import { Turn } from '@sextant/core';
import { CompiledQuery, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, DialectAdapter, Driver, SqliteDialectConfig } from 'kysely';
import { isBusy, reasonOf, toldFailure } from './failure.ts';

export interface SharedFileConfig extends SqliteDialectConfig {
  /** Longest time in milliseconds that a statement waits while another process writes. */
  busyMs: number;
  /** Whether a transaction is open on the connection. */
  isInTransaction: () => boolean;
  /** Told what is wrong with the file when a statement fails of it, and nothing when something was written. */
  onOutcome: (reason: string | undefined) => void;
}

/** Kysely's dialect with what several processes on one file need, and failures of the file told as such. */
export class SharedFileDialect extends SqliteDialect {
  readonly #config: SharedFileConfig;

  constructor(config: SharedFileConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): Driver {
    return new SharedFileDriver(this.#config);
  }

  override createAdapter(): DialectAdapter {
    return new TransactionalDdlAdapter();
  }
}

class SharedFileDriver extends SqliteDriver {
  readonly #busyMs: number;
  readonly #isInTransaction: () => boolean;
  readonly #onOutcome: SharedFileConfig['onOutcome'];
  readonly #turn = new Turn();
  #connection: DatabaseConnection | undefined;

  constructor(config: SharedFileConfig) {
    super(config);
    this.#busyMs = config.busyMs;
    this.#isInTransaction = config.isInTransaction;
    this.#onOutcome = config.onOutcome;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    await this.#turn.share();
    this.#connection ??= shared(await super.acquireConnection(), this.#busyMs, this.#onOutcome);
    return this.#connection;
  }

  /** Takes the write lock at the beginning: a transaction that reads first and writes later could be refused half-way. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** On a full disk SQLite itself has ended the transaction: to do so again would fail, and hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#isInTransaction()) await super.rollbackTransaction(connection);
  }
}

/** Migrations run in one transaction, so that two processes that start at once do them once. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

const shared = (
  connection: DatabaseConnection,
  busyMs: number,
  onOutcome: SharedFileConfig['onOutcome'],
): DatabaseConnection => ({
  executeQuery: (query, options) =>
    whenFree(async () => {
      try {
        const result = await connection.executeQuery<never>(query, options);
        if ((result.numAffectedRows ?? 0n) > 0n) onOutcome(undefined);
        return result;
      } catch (error) {
        const reason = isBusy(error) ? undefined : reasonOf(error);
        if (reason !== undefined) onOutcome(reason);
        throw error;
      }
    }, busyMs),
  async *streamQuery(query, chunkSize, options) {
    try {
      yield* connection.streamQuery<never>(query, chunkSize, options);
    } catch (error) {
      throw toldFailure(error);
    }
  },
});

/** Tries again while another process writes, and lets everything else run in between. */
async function whenFree<T>(run: () => Promise<T>, busyMs: number): Promise<T> {
  const deadline = performance.now() + busyMs;
  for (;;)
    try {
      return await run();
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw toldFailure(error);
      // By chance, so that processes that wait for each other do not do so in step.
      await setTimeout(1 + Math.random() * 4);
    }
}
