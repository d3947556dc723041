import { SextantError, messageOf } from '@sextant/core';
import type { Logger } from '@sextant/core';
import type { Kysely } from 'kysely';
import { Migrator } from 'kysely/migration';
import type { DatabaseStore } from './database.ts';

export interface MigrateStoreOptions {
  db: Kysely<unknown>;
  store: DatabaseStore;
  /** What an error calls the database: a path, or a host and the name of a database. Never a password. */
  databaseName: string;
  /** What is wrong with the database and what to do; undefined for any other failure. */
  reasonOf(error: unknown): string | undefined;
  /** Told which migrations were applied, in how many milliseconds. */
  readonly log: Pick<Logger, 'debug'>;
}

interface CompatibilityTables {
  store_compatibility: {
    store: string;
    /** The oldest migration that a program must know to use the store. */
    oldest: string;
    /** The last one that was applied. */
    newest: string;
  };
}

/**
 * Brings the tables of a store up to date, in one transaction. Each store has a migration table of its own. Does nothing
 * where a newer program has migrated them and says that this one may use them.
 */
export async function migrateStore({ db, store, databaseName, reasonOf, log }: MigrateStoreOptions): Promise<void> {
  const { name, migrations } = store;
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new Error(`the store name "${name}" must be snake_case`);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...migrations }) },
    migrationTableName: `${name}_migrations`,
    migrationLockTableName: `${name}_migrations_lock`,
  });
  const began = performance.now();
  try {
    const compatibility = new Compatibility(db as Kysely<CompatibilityTables>, store);
    if (await compatibility.mayUseNewer()) return;
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error) throw error;
    await compatibility.note();
    const applied = results.map(({ migrationName }) => migrationName);
    const ms = Math.round(performance.now() - began);
    if (applied.length > 0) log.debug({ store: name, migrations: applied, ms }, 'tables were brought up to date');
  } catch (error) {
    const isNewer = /corrupted migrations/.test(messageOf(error));
    const below = error instanceof SextantError ? error.cause : error;
    const reason = isNewer
      ? 'a newer version of the program has written it; start that version'
      : (reasonOf(below) ?? messageOf(error));
    throw new SextantError(
      'unavailable',
      `the tables "${name}" of ${databaseName} cannot be brought up to date: ${reason}`,
      {
        cause: error,
      },
    );
  }
}

/** What the program that migrated a store last says of older ones. */
class Compatibility {
  readonly #db: Kysely<CompatibilityTables>;
  readonly #own: CompatibilityTables['store_compatibility'];

  constructor(db: Kysely<CompatibilityTables>, { name, migrations, compatibleFrom }: DatabaseStore) {
    const newest = Object.keys(migrations).toSorted().at(-1) ?? '';
    this.#db = db;
    this.#own = { store: name, oldest: compatibleFrom ?? newest, newest };
  }

  /** Forgets what a program before this one said: from its migrations on, this one decides. */
  async mayUseNewer(): Promise<boolean> {
    await this.#db.schema
      .createTable('store_compatibility')
      .ifNotExists()
      .addColumn('store', 'text', (column) => column.primaryKey())
      .addColumn('oldest', 'text', (column) => column.notNull())
      .addColumn('newest', 'text', (column) => column.notNull())
      .execute();
    const { store, newest } = this.#own;
    const said = await this.#said();
    if (said && said.newest < newest)
      await this.#db.deleteFrom('store_compatibility').where('store', '=', store).execute();
    return said !== undefined && said.newest > newest && said.oldest <= newest;
  }

  async note(): Promise<void> {
    const { store, oldest, newest } = this.#own;
    const said = await this.#said();
    if (said?.oldest === oldest && said.newest === newest) return;
    await this.#db
      .insertInto('store_compatibility')
      .values({ store, oldest, newest })
      .onConflict((conflict) => conflict.column('store').doUpdateSet({ oldest, newest }))
      .execute();
  }

  #said(): Promise<CompatibilityTables['store_compatibility'] | undefined> {
    const { store } = this.#own;
    return this.#db.selectFrom('store_compatibility').selectAll().where('store', '=', store).executeTakeFirst();
  }
}
