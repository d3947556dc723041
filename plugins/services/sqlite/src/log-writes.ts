import type Sqlite from 'better-sqlite3';
import type { SqliteStatement } from 'kysely';

/** Tells what is written to logs from all other changes of a connection. */
export class LogWrites {
  /** By the names of stores. */
  readonly #isLog = new Map<string, boolean>();
  readonly #changes: Sqlite.Statement<[], number>;
  /** Rows of logs that were changed so far. */
  #ofLogs = 0;

  constructor(connection: Sqlite.Database) {
    this.#changes = connection.prepare<[], number>('select total_changes()').pluck();
  }

  /** A store that was opened: its tables begin with its name. */
  add(name: string, isLog: boolean): void {
    this.#isLog.set(name, isLog);
  }

  /** The statement, whose changes are counted apart if it writes to a log; in doubt it does not. */
  watch(sql: string, statement: Sqlite.Statement): SqliteStatement {
    const table = /^(?:insert into|update|delete from) "(\w+)"/.exec(sql)?.[1];
    if (table === undefined || !this.#isOfLog(table)) return statement;
    return {
      reader: statement.reader,
      all: (parameters) => this.#counted(() => statement.all(parameters)),
      run: (parameters) => this.#counted(() => statement.run(parameters)),
      iterate: (parameters) => statement.iterate(parameters),
    };
  }

  /** Rows that were changed so far by statements on anything but logs. */
  otherChanges(): number {
    return this.#all() - this.#ofLogs;
  }

  #counted<T>(run: () => T): T {
    const before = this.#all();
    try {
      return run();
    } finally {
      this.#ofLogs += this.#all() - before;
    }
  }

  #all(): number {
    return this.#changes.get() ?? 0;
  }

  /** The longest name decides: the store `usage_rights` would be none of the log `usage`. */
  #isOfLog(table: string): boolean {
    let longest = '';
    for (const name of this.#isLog.keys())
      if (name.length > longest.length && table.startsWith(`${name}_`)) longest = name;
    return this.#isLog.get(longest) ?? false;
  }
}
