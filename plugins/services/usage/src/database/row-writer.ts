import { SqliteAdapter, sql } from 'kysely';
import type { CompiledQuery, Kysely, RawBuilder } from 'kysely';

/** Rows in one statement; a rest is written by halves of it, so that there are six statements in all to build and keep. */
const rowsAtOnce = 32;
/** Where a statement is a round trip. Each ends long before the time that a transaction may take. */
const remoteRowsAtOnce = 2000;

/** Completes the insertion of rows with the given columns. */
type Compile<Tables> = (db: Kysely<Tables>, rows: RawBuilder<never>) => CompiledQuery;

/** Writes many rows of one kind. */
export class RowWriter<Tables, Row extends object> {
  readonly #columns: readonly (keyof Row)[];
  readonly #compile: Compile<Tables>;
  /** By number of rows: building a statement takes longer than running it. */
  readonly #compiled = new Map<number, CompiledQuery>();

  /** The columns are those of the statement, in its order. */
  constructor(columns: readonly (keyof Row)[], compile: Compile<Tables>) {
    this.#columns = columns;
    this.#compile = compile;
  }

  /** Answers what the statement returns. */
  write(db: Kysely<Tables>, rows: readonly Row[]): Promise<unknown[]> {
    return db.getExecutor().adapter instanceof SqliteAdapter
      ? this.#writeValues(db, rows)
      : this.#writeArrays(db, rows);
  }

  async #writeValues(db: Kysely<Tables>, rows: readonly Row[]): Promise<unknown[]> {
    const returned: unknown[] = [];
    let size = rowsAtOnce;
    for (let start = 0; start < rows.length; start += size) {
      while (size > rows.length - start) size /= 2;
      const parameters: unknown[] = [];
      for (const row of rows.slice(start, start + size))
        for (const column of this.#columns) parameters.push(row[column]);
      const query = this.#compiled.get(size) ?? this.#compile(db, places(size, this.#columns.length));
      this.#compiled.set(size, query);
      const result = await db.executeQuery({ ...query, parameters });
      returned.push(...result.rows);
    }
    return returned;
  }

  /** An array for each column: the same statement for any number of rows. */
  async #writeArrays(db: Kysely<Tables>, rows: readonly Row[]): Promise<unknown[]> {
    const returned: unknown[] = [];
    for (let start = 0; start < rows.length; start += remoteRowsAtOnce) {
      const some = rows.slice(start, start + remoteRowsAtOnce);
      const parameters = this.#columns.map((column) => some.map((row) => row[column]));
      const query = this.#compiled.get(0) ?? this.#compile(db, arrays(parameters));
      this.#compiled.set(0, query);
      const result = await db.executeQuery({ ...query, parameters });
      returned.push(...result.rows);
    }
    return returned;
  }
}

/** Whether the database runs in this process. */
export const isHere = (db: Pick<Kysely<never>, 'getExecutor'>): boolean =>
  db.getExecutor().adapter instanceof SqliteAdapter;

function places(rows: number, columns: number): RawBuilder<never> {
  const row = sql`(${sql.join(Array<null>(columns).fill(null))})`;
  return sql`values ${sql.join(Array<typeof row>(rows).fill(row))}`;
}

/** A column of integers takes the numbers as they are: doubles are exact up to the largest of them. */
function arrays(columns: readonly (readonly unknown[])[]): RawBuilder<never> {
  const typed = columns.map((values) =>
    typeof values[0] === 'number' ? sql`${values}::double precision[]` : sql`${values}::text[]`,
  );
  return sql`select * from unnest(${sql.join(typed)})`;
}
