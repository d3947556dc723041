import type Sqlite from 'better-sqlite3';
import { LRUCache } from 'lru-cache';

/** Statements that stay prepared: those that were used last. */
const mostKept = 256;
/** Characters of the longest of them: rare long ones are not worth the memory. */
const longestKept = 16 * 1024;

/** Prepared statements by their text. Most take longer to prepare than to run. */
export class Statements {
  readonly #connection: Sqlite.Database;
  readonly #kept = new LRUCache<string, Sqlite.Statement>({ max: mostKept });

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
  }

  prepare(sql: string): Sqlite.Statement {
    const known = this.#kept.get(sql);
    // One that is being read from cannot be run again.
    if (known && !known.busy) return known;
    const statement = this.#connection.prepare(sql);
    if (!known && sql.length <= longestKept) this.#kept.set(sql, statement);
    return statement;
  }

  /** Call it after a change of the schema: old statements may answer with the old columns. */
  clear(): void {
    this.#kept.clear();
  }
}
