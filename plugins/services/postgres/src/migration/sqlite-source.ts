import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SextantError } from '@sextant/core';
import Sqlite from 'better-sqlite3';

/** The SQLite database of a data folder, as it is at one moment. Nothing is written to it. */
export class SqliteSource {
  readonly #db: Sqlite.Database;
  readonly #folder: string;

  /** Throws `not_found` where there is none. */
  constructor(folder: string) {
    const file = join(folder, 'sextant.db');
    if (!existsSync(file)) throw new SextantError('not_found', `there is no ${file}; name its folder with --data DIR`);
    this.#folder = folder;
    this.#db = new Sqlite(file, { readonly: true });
    this.#db.exec('begin');
  }

  tables(): string[] {
    const all = `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name`;
    return this.#db.prepare<[], string>(all).pluck().all();
  }

  /** Sorted by name. */
  columns(table: string): string[] {
    return this.#db.prepare<[string], string>('select name from pragma_table_info(?) order by name').pluck().all(table);
  }

  count(table: string): number {
    return this.#db.prepare<[], number>(`select count(*) from "${table}"`).pluck().get() ?? 0;
  }

  /** Values in the order of the names of their columns. */
  rows(table: string): Iterable<unknown[]> {
    const names = this.columns(table).map((name) => `"${name}"`);
    return this.#db
      .prepare<[], unknown[]>(`select ${names.join(', ')} from "${table}"`)
      .raw()
      .iterate();
  }

  /** The highest id that a table ever gave, also when its row was deleted; undefined for a table that gives none. */
  highestId(table: string): number | undefined {
    if (!this.tables().includes(table)) return undefined;
    return this.#db.prepare<[string], number>('select seq from sqlite_sequence where name = ?').pluck().get(table);
  }

  secret(name: string): string | undefined {
    const file = join(this.#folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  close(): void {
    this.#db.close();
  }
}
