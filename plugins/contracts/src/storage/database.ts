import { token } from '@sextant/core';
import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

export interface DatabaseStore {
  /** The plugin's own, in snake_case; prefixes its tables. */
  readonly name: string;
  readonly migrations: Readonly<Record<string, Migration>>;
  /** It is written all the time, and nobody keeps what they read of it. */
  readonly isLog?: boolean;
  /**
   * The key of the oldest migration that still suits: a program that knows no later one may use the tables too. So hosts
   * are upgraded one after another. Absent: only programs that know all migrations.
   */
  readonly compatibleFrom?: string;
}

/** The database of the server. Stores are written against Kysely only, so that another database can take its place. */
export interface Database {
  /**
   * A store of one plugin: brings its tables up to date (in a transaction, forwards only) and returns a query builder
   * over them. `name` is the plugin's own and prefixes its tables; migrations are applied in the order of their keys.
   * Transactions of a store run as if one after another; an `autoIncrement` id is never given twice; `bigint` columns
   * hold safe integers and are read as numbers; text is compared by code point. Text may hold any character but U+0000,
   * which may be stored as U+FFFD. Throws `unavailable` when a newer version of the store wrote the tables, unless that
   * one is `compatibleFrom` a migration that this one knows.
   */
  open<Tables>(store: DatabaseStore): Promise<Kysely<Tables>>;
  /**
   * A number that grows whenever something may have been committed, here or by another process. Data that was read under
   * one value stays valid while the value stays the same. It has every commit that ended before the call. Calls that wait
   * at once share one answer. Undefined if it cannot be told. Writing to tables that are logs may leave it unchanged.
   */
  version(): Promise<number | undefined>;
  /**
   * Does work that one host at a time should do, such as sending what all have recorded. False, and nothing is done, while
   * another host does work of that name.
   */
  exclusively(name: string, work: () => Promise<void>): Promise<boolean>;
}

export const Database = token<Database>('database');

/**
 * Secrets that all processes on one database share, such as signing keys. They are kept apart from its tables, or
 * encrypted: whoever reads the tables alone does not have them.
 */
export interface Secrets {
  /** The secret of that name. The first process that asks makes it; of several at once all get the same one. */
  readOrMake(name: string, make: () => string): Promise<string>;
  /** Puts another secret in the place of one. */
  replace(name: string, secret: string): Promise<void>;
}

export const Secrets = token<Secrets>('secrets');
