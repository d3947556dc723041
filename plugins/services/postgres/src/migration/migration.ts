import { SextantError, messageOf, token } from '@sextant/core';
import type { Secrets } from '@sextant/contracts';
import type { Pool, PoolClient } from 'pg';
import Cursor from 'pg-cursor';
import { stored } from '../store-pool.ts';
import { Checksum } from './checksum.ts';
import { SqliteSource } from './sqlite-source.ts';

/** PostgreSQL takes 65,535 parameters in a statement. */
const mostParameters = 20_000;
const rowsAtOnce = 1000;

export interface CopiedTable {
  readonly table: string;
  readonly rows: number;
  /** Of its content, whatever the order of the rows. */
  readonly checksum: string;
  /** Whether an earlier run had copied it already, and it is the same still. */
  readonly wasThere: boolean;
}

export interface MigrationResult {
  readonly tables: readonly CopiedTable[];
  readonly secrets: readonly string[];
  /** Tables of plugins that this configuration does not have. */
  readonly leftOut: readonly string[];
}

export interface MigrationOptions {
  pool: Pool;
  secrets: Secrets;
  dataFolder: string;
}

export interface MigrateRequest {
  isDryRun: boolean;
  signal: AbortSignal;
  showProgress(line: string): void;
}

/**
 * Copies everything of an SQLite database into a PostgreSQL database that no server has used. Each table is one
 * transaction: what was cut off goes on with the tables that are missing, or that changed meanwhile.
 */
export class Migration {
  readonly #options: MigrationOptions;

  constructor(options: MigrationOptions) {
    this.#options = options;
  }

  async run(request: MigrateRequest): Promise<MigrationResult> {
    const source = new SqliteSource(this.#options.dataFolder);
    try {
      return await this.#migrate(source, request);
    } finally {
      source.close();
    }
  }

  async #migrate(source: SqliteSource, { isDryRun, signal, showProgress }: MigrateRequest): Promise<MigrationResult> {
    const { pool } = this.#options;
    await this.#requireUnused();
    const present = await this.#tables();
    const tables = source.tables().filter((name) => present.has(name) && !isOfMigrations(name));
    const leftOut = source.tables().filter((name) => !present.has(name) && !isOfMigrations(name));
    for (const table of source.tables().filter((name) => present.has(name) && name.endsWith('_migrations')))
      await this.#requireSameMigrations(source, table);
    for (const table of tables) requireSameColumns(table, source.columns(table), present.get(table) ?? []);
    if (isDryRun) return { tables: tables.map((table) => planned(source, table)), secrets: [], leftOut };
    await pool.query(`update database_state set state = 'migrating'`);
    const copied: CopiedTable[] = [];
    for (const table of tables) {
      signal.throwIfAborted();
      showProgress(`${table}: ${source.count(table)} rows`);
      copied.push(await this.#copy(source, table));
    }
    const secrets = await this.#copySecrets(source);
    await pool.query(`update database_state set state = 'migrated'`);
    return { tables: copied, secrets, leftOut };
  }

  /** Throws `conflict` for a database that a server has used: what is in it would be lost. */
  async #requireUnused(): Promise<void> {
    const { rows } = await this.#options.pool.query<{ state: string }>('select state from database_state');
    const state = rows[0]?.state;
    if (state === 'new' || state === 'migrating') return;
    throw new SextantError(
      'conflict',
      state === 'migrated'
        ? 'everything was copied into this PostgreSQL database already; start the server'
        : 'a server has used this PostgreSQL database already; name an empty one in "url"',
    );
  }

  /** By name, each with its columns sorted by name. */
  async #tables(): Promise<Map<string, string[]>> {
    const { rows } = await this.#options.pool.query<{ table_name: string; columns: string[] }>(
      `select table_name::text, array_agg(column_name::text order by column_name collate "C") as columns
       from information_schema.columns where table_schema = current_schema() group by table_name`,
    );
    return new Map(rows.map(({ table_name, columns }) => [table_name, columns]));
  }

  async #requireSameMigrations(source: SqliteSource, table: string): Promise<void> {
    const { rows } = await this.#options.pool.query<{ name: string }>(
      `select name from "${table}" order by name collate "C"`,
    );
    const here = rows.map(({ name }) => name);
    const there = [...source.rows(table)].map(([name]) => String(name)).toSorted();
    if (here.join() === there.join()) return;
    throw new SextantError(
      'conflict',
      `the tables "${table.replace(/_migrations$/, '')}" are of another version: SQLite has ${there.join(', ') || 'none'}, this program ${here.join(', ')}; start this version on SQLite once, stop it, and try again`,
    );
  }

  async #copy(source: SqliteSource, table: string): Promise<CopiedTable> {
    const client = await this.#options.pool.connect();
    try {
      await client.query('begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0');
      const wanted = checksumOf(source.rows(table));
      const known = await client.query('select from database_copied where name = $1 and checksum = $2', [
        table,
        String(wanted),
      ]);
      const wasThere = known.rowCount === 1;
      if (!wasThere) await fill(client, { source, table });
      const found = await this.#checksum(client, table, source.columns(table));
      if (String(found) !== String(wanted))
        throw new SextantError(
          'unavailable',
          `${table} is not the same after it was copied: ${wanted.rows} rows, checksum ${wanted}, became ${found.rows}, ${found}`,
        );
      await client.query(
        'insert into database_copied values ($1, $2) on conflict (name) do update set checksum = excluded.checksum',
        [table, String(wanted)],
      );
      await client.query('commit');
      return { table, rows: wanted.rows, checksum: String(wanted), wasThere };
    } catch (error) {
      await client.query('rollback').catch(() => undefined);
      if (error instanceof SextantError) throw error;
      throw new SextantError('unavailable', `${table} was not copied: ${messageOf(error)}; run the command again`, {
        cause: error,
      });
    } finally {
      client.release();
    }
  }

  async #checksum(client: PoolClient, table: string, columns: readonly string[]): Promise<Checksum> {
    const names = columns.map((name) => `"${name}"`).join(', ');
    const cursor = client.query(new Cursor(`select ${names} from "${table}"`, [], { rowMode: 'array' }));
    const checksum = new Checksum();
    for (;;) {
      const rows: unknown[][] = await cursor.read(rowsAtOnce);
      if (rows.length === 0) return checksum;
      for (const row of rows) checksum.add(row);
    }
  }

  /** Those that the plugins have asked for when they started. */
  async #copySecrets(source: SqliteSource): Promise<string[]> {
    const { rows } = await this.#options.pool.query<{ name: string }>('select name from database_secret order by name');
    const copied: string[] = [];
    for (const { name } of rows) {
      const secret = source.secret(name);
      if (secret === undefined) continue;
      await this.#options.secrets.replace(name, secret);
      copied.push(name);
    }
    return copied;
  }
}

export const migration = token<Migration>('postgres-migration');

/** What says which migrations were applied: the plugins have written it when they started. */
const isOfMigrations = (table: string): boolean => /_migrations(_lock)?$|^store_compatibility$/.test(table);

function requireSameColumns(table: string, there: readonly string[], here: readonly string[]): void {
  if (there.join() === here.join()) return;
  throw new SextantError(
    'conflict',
    `the columns of ${table} differ: SQLite has ${there.join(', ')}, PostgreSQL ${here.join(', ')}`,
  );
}

function planned(source: SqliteSource, table: string): CopiedTable {
  const checksum = checksumOf(source.rows(table));
  return { table, rows: checksum.rows, checksum: String(checksum), wasThere: false };
}

function checksumOf(rows: Iterable<readonly unknown[]>): Checksum {
  const checksum = new Checksum();
  for (const row of rows) checksum.add(row.map(stored));
  return checksum;
}

interface Filling {
  source: SqliteSource;
  table: string;
}

/** In the place of what migrations and starting plugins have put there. */
async function fill(client: PoolClient, { source, table }: Filling): Promise<void> {
  const columns = source.columns(table);
  const names = columns.map((name) => `"${name}"`).join(', ');
  const most = Math.max(1, Math.min(rowsAtOnce, Math.floor(mostParameters / columns.length)));
  await client.query(`truncate "${table}"`);
  let batch: unknown[][] = [];
  const write = async (): Promise<void> => {
    if (batch.length === 0) return;
    const places = batch.map(
      (row, at) => `(${row.map((_, column) => `$${at * columns.length + column + 1}`).join(', ')})`,
    );
    await client.query(`insert into "${table}" (${names}) values ${places.join(', ')}`, batch.flat());
    batch = [];
  };
  for (const row of source.rows(table)) {
    batch.push(row.map(stored));
    if (batch.length === most) await write();
  }
  await write();
  // Until the server does so by itself its plans are those of an empty table.
  await client.query(`analyze "${table}"`);
  await advanceIdentity(client, { source, table });
}

/** Explicit ids do not advance an identity: without this the next id would be 1 again. */
async function advanceIdentity(client: PoolClient, { source, table }: Filling): Promise<void> {
  const highest = source.highestId(table);
  if (highest === undefined || highest < 1) return;
  await client.query(`select setval(pg_get_serial_sequence($1, 'id'), $2)`, [`"${table}"`, highest]);
}
