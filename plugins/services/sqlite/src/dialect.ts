import { CompiledQuery, SqliteAdapter, SqliteDialect, SqliteDriver } from 'kysely';
import type { DatabaseConnection, DialectAdapter, Driver, SqliteDialectConfig } from 'kysely';
import { toldFailure } from './failure.ts';

/** Kysely's dialect with what several processes on one file need, and failures of the file told as such. */
export class SharedFileDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
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
  #connection: DatabaseConnection | undefined;

  override async acquireConnection(): Promise<DatabaseConnection> {
    this.#connection ??= tellingFailures(await super.acquireConnection());
    return this.#connection;
  }

  /** Takes the write lock at the beginning: a transaction that reads first and writes later could be refused half-way. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

/** Migrations run in one transaction, so that two processes that start at once do them once. */
class TransactionalDdlAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

const tellingFailures = (connection: DatabaseConnection): DatabaseConnection => ({
  executeQuery: (query, options) => connection.executeQuery<never>(query, options).catch(rethrow),
  async *streamQuery(query, chunkSize, options) {
    try {
      yield* connection.streamQuery<never>(query, chunkSize, options);
    } catch (error) {
      rethrow(error);
    }
  },
});

function rethrow(error: unknown): never {
  throw toldFailure(error);
}
