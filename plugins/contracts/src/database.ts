import { token } from '@sextant/core';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The database of the server. Stores are written against Kysely only, so that another database can take its place. */
export interface Database {
  /**
   * A store of one plugin: brings its tables up to date (in a transaction, forwards only) and returns a query builder
   * over them. `name` is the plugin's own and prefixes its tables; migrations are applied in the order of their keys.
   * Transactions run as if one after another; an `autoIncrement` id is never given twice; `bigint` columns hold safe
   * integers and are read as numbers. Throws `unavailable` when a newer version of the store wrote the tables.
   */
  open<Tables>(store: { name: string; migrations: Readonly<Record<string, Migration>> }): Promise<Kysely<Tables>>;
  /**
   * A number that grows whenever anything may have been committed, here or by another process. What was read under
   * one value is still true while the value is the same; costs microseconds. Undefined where that cannot be told.
   */
  version(): number | undefined;
}

export const Database = token<Database>('database');
