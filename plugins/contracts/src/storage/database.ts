import { token } from '@sextant/core';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface DatabaseStore {
  /** The plugin's own, in snake_case; prefixes its tables. */
  readonly name: string;
  readonly migrations: Readonly<Record<string, Migration>>;
  /** It is written all the time, and nobody keeps what they read of it. */
  readonly isLog?: boolean;
}

/** The database of the server. Stores are written against Kysely only, so that another database can take its place. */
export interface Database {
  /**
   * A store of one plugin: brings its tables up to date (in a transaction, forwards only) and returns a query builder
   * over them. `name` is the plugin's own and prefixes its tables; migrations are applied in the order of their keys.
   * Transactions run as if one after another; an `autoIncrement` id is never given twice; `bigint` columns hold safe
   * integers and are read as numbers. Throws `unavailable` when a newer version of the store wrote the tables.
   */
  open<Tables>(store: DatabaseStore): Promise<Kysely<Tables>>;
  /**
   * A number that grows whenever something may have been committed, here or by another process. Data that was read under
   * one value stays valid while the value stays the same. Reading it is cheap. Undefined if it cannot be told. Writing
   * to tables that are logs may leave it unchanged.
   */
  version(): number | undefined;
}

export const Database = token<Database>('database');
