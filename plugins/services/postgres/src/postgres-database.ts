import { createHash } from 'node:crypto';
import { migrateStore } from '@sextant/contracts';
import type { Database, DatabaseStore } from '@sextant/contracts';
import { SextantError, messageOf } from '@sextant/core';
import type { Logger, ServiceStatus } from '@sextant/core';
import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression } from 'kysely';
import pg from 'pg';
import type { ClientConfig, Pool } from 'pg';
import Cursor from 'pg-cursor';
import { DirectConnection } from './direct-connection.ts';
import { StoreDialect } from './dialect.ts';
import { reasonOf, toldFailure } from './failure.ts';
import { SharedVersion } from './shared-version.ts';
import { StorePool, onlyConnection } from './store-pool.ts';
import type { Connections } from './store-pool.ts';
import { ownTables, versionTriggers } from './own-tables.ts';

/** The oldest release with everything that is used here. */
const oldestServer = 13;

/** Longest that a statement outside of a transaction may take: a page of a report over many events. */
const longestStatementMs = 60_000;
/** A host that stands still in a transaction keeps all others waiting. */
const longestIdleMs = 5000;
const longestConnectMs = 5000;

export interface PostgresDatabaseOptions {
  /** As `postgres://user@host:port/database`, with the options of libpq as its query. */
  url: string;
  /** The same server without a pooler, where `url` names one. */
  directURL?: string | undefined;
  password?: string | undefined;
  /** Most connections of this host to the server, the direct one apart. */
  connections: number;
  log: Logger;
}

/** One schema for all stores: the first of the connection's `search_path`. Each store has a query builder of its own. */
export class PostgresDatabase implements Database {
  readonly direct: DirectConnection;
  readonly pool: Pool;
  readonly #name: string;
  #schema = '';
  readonly #directConfig: ClientConfig;
  readonly #version: SharedVersion;
  readonly #log: Logger;
  #altering = Promise.resolve();
  readonly #open = new Set<Kysely<unknown>>();

  private constructor({ url, directURL, password, connections, log }: PostgresDatabaseOptions) {
    const config = configOf(url, password);
    this.#name = nameOf(config);
    this.#log = log;
    this.pool = new pg.Pool({
      ...config,
      max: connections,
      statement_timeout: longestStatementMs,
      idle_in_transaction_session_timeout: longestIdleMs,
    });
    // A connection that breaks while nobody uses it is replaced by the next one.
    this.pool.on('error', () => undefined);
    // One that breaks in a transaction is told by its next statement.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.#directConfig = directURL === undefined ? config : configOf(directURL, password);
    this.direct = new DirectConnection({ config: this.#directConfig, log });
    this.#version = new SharedVersion(() => this.#readVersion());
  }

  /** Throws `unavailable` that says which database cannot be used and what to do; never with a password. */
  static async connect(options: PostgresDatabaseOptions): Promise<PostgresDatabase> {
    const database = new PostgresDatabase(options);
    try {
      await database.#prepare();
      return database;
    } catch (error) {
      await database.close();
      const below = error instanceof SextantError ? error.cause : error;
      throw new SextantError(
        'unavailable',
        `${database.#name} cannot be used: ${reasonOf(below) ?? messageOf(error)}`,
        {
          cause: error,
        },
      );
    }
  }

  async open<Tables>(store: DatabaseStore): Promise<Kysely<Tables>> {
    await this.#alone(async (client) => {
      const db = kyselyOn<unknown>(onlyConnection(client, this.#directConfig));
      await migrateStore({ db, store, databaseName: this.#name, reasonOf, log: this.#log });
      for (const text of versionTriggers(store)) await told(client.query(text));
    });
    const db = kyselyOn<Tables>(this.pool, this.#lockOf(`store ${store.name}`));
    this.#open.add(db as Kysely<unknown>);
    return db;
  }

  /** Begins to serve. Throws `unavailable` while the database is half of what is being copied into it. */
  async use(): Promise<void> {
    const { rowCount } = await this.direct.query({
      text: `update database_state set state = 'used' where state <> 'migrating'`,
    });
    if (rowCount === 0)
      throw new SextantError(
        'unavailable',
        `${this.#name} has only a part of what is copied into it; run sextant migrate --from sqlite --to postgres again`,
      );
  }

  exclusively(name: string, work: () => Promise<void>): Promise<boolean> {
    return this.#onOwnConnection(async (client) => {
      const key = this.#lockOf(`work ${name}`);
      const { rows } = await told(client.query<{ isFree: boolean }>(`select pg_try_advisory_lock(${key}) as "isFree"`));
      const isFree = rows[0]?.isFree ?? false;
      if (isFree) await work();
      return isFree;
    });
  }

  version(): Promise<number> {
    return this.#version.read();
  }

  status(): ServiceStatus {
    const { failure } = this.direct;
    const failures = failure && [{ name: this.#name, ...failure }];
    return { isReady: !failures, detail: {}, ...(failures && { failures }) };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open].map((db) => db.destroy()));
    await Promise.all([this.pool.end(), this.direct.close()]);
  }

  /** The key of an advisory lock. Locks are of a whole database; another schema may be another installation. */
  #lockOf(name: string): bigint {
    return createHash('sha256').update(`sextant ${this.#schema} ${name}`).digest().readBigInt64BE();
  }

  async #prepare(): Promise<void> {
    const { rows } = await this.direct.query<{ version: number; schema: string | null }>({
      text: `select current_setting('server_version_num')::int as version, current_schema() as schema`,
    });
    const { version = 0, schema = null } = rows[0] ?? {};
    if (version < oldestServer * 10_000)
      throw new Error(`it is release ${Math.floor(version / 10_000)}; at least ${oldestServer} is needed`);
    if (schema === null) throw new Error('no schema of its search_path exists; create one');
    this.#schema = schema;
    await this.#alone((client) => told(client.query(ownTables)));
  }

  /**
   * Runs what no other host does at the same time, on a connection without limits: tables are made and altered one store
   * after another, and large ones take long.
   */
  #alone(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
    const underLock = (): Promise<void> =>
      this.#onOwnConnection(async (client) => {
        await told(client.query('set statement_timeout = 0'));
        await told(client.query(`select pg_advisory_lock(${this.#lockOf('migrations')})`));
        await work(client);
      });
    // Here too one after another: each would wait with a connection of its own.
    this.#altering = this.#altering.then(underLock, underLock);
    return this.#altering;
  }

  /** Its locks end with it, also when this host dies; a pooler would leave them to others. */
  async #onOwnConnection<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client(this.#directConfig);
    client.on('error', () => undefined);
    try {
      await told(client.connect());
      return await work(client);
    } finally {
      await client.end();
    }
  }

  async #readVersion(): Promise<number> {
    const query = { name: 'version', text: 'select value::float8 as value from database_version' };
    const { rows } = await this.direct.query<{ value: number }>(query);
    return rows[0]?.value ?? 0;
  }
}

/** Numbers as JavaScript has them: the contract promises safe integers. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [pg.types.builtins.INT8]: Number,
  // Sums of integers.
  [pg.types.builtins.NUMERIC]: Number,
};

const types: ClientConfig['types'] = {
  getTypeParser: ((id: number, format: 'text') => parsers[id] ?? pg.types.getTypeParser(id, format)) as never,
};

export const configOf = (connectionString: string, password: string | undefined): ClientConfig => ({
  connectionString,
  ...(password !== undefined && { password }),
  types,
  application_name: 'sextant',
  connectionTimeoutMillis: longestConnectMs,
  keepAlive: true,
});

/** Says where the database is without user and password. */
function nameOf(config: ClientConfig): string {
  const { host, port, database = '' } = new pg.Client(config);
  return `the PostgreSQL database "${database}" at ${host}:${port}`;
}

/** `lock`: transactions run one after another on all hosts, and end soon. */
function kyselyOn<Tables>(connections: Connections, lock?: bigint): Kysely<Tables> {
  const pool = new StorePool(connections);
  const dialect = new StoreDialect({ pool, cursor: Cursor, ...(lock !== undefined && { lock }) });
  // SQLite takes `in ()` for what it means; PostgreSQL refuses it.
  const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });
  return new Kysely<Tables>({ dialect, plugins: [emptyLists] });
}

const told = <T>(asked: Promise<T>): Promise<T> =>
  asked.catch((error: unknown) => {
    throw toldFailure(error);
  });
