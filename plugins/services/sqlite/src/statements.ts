import type Sqlite from 'better-sqlite3';

/** How many statements are kept prepared, and the longest of them: rare long ones are not worth the memory. */
const mostKept = 256;
const longestKept = 16 * 1024;

/** Prepared statements by their text: to prepare one takes longer than to run most of them. */
export class Statements {
  readonly #connection: Sqlite.Database;
  readonly #kept = new Map<string, Sqlite.Statement>();

  constructor(connection: Sqlite.Database) {
    this.#connection = connection;
  }

  prepare(sql: string): Sqlite.Statement {
    const known = this.#kept.get(sql);
    // One that is being read from cannot be run again.
    if (known && !known.busy) return this.#keep(sql, known);
    const statement = this.#connection.prepare(sql);
    return known || sql.length > longestKept ? statement : this.#keep(sql, statement);
  }

  /** After a change of the schema: what was prepared before may answer with the columns of then. */
  clear(): void {
    this.#kept.clear();
  }

  /** A map is in the order of insertion: the first is the one that was not used for longest. */
  #keep(sql: string, statement: Sqlite.Statement): Sqlite.Statement {
    this.#kept.delete(sql);
    this.#kept.set(sql, statement);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > mostKept) this.#kept.delete(oldest);
    return statement;
  }
}
