import { SqliteAdapter, sql } from 'kysely';
import type { CompiledQuery, Kysely, RawBuilder } from 'kysely';

/** Rows in one statement; a rest is written by halves of it, so that there are six statements in all to build and keep. */
const rowsAtOnce = 32;
/** Rows times columns, where a statement is a round trip. Each ends long before the time that a transaction may take. */
const remoteValuesAtOnce = 24_000;

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
    const size = Math.floor(remoteValuesAtOnce / this.#columns.length);
    for (let start = 0; start < rows.length; start += size) {
      const some = rows.slice(start, start + size);
      const columns = this.#columns.map((column) => some.map((row) => row[column]));
      const parameters = columns.map(arrayText);
      const query = this.#compiled.get(0) ?? this.#compile(db, arrays(columns));
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
    typeof values[0] === 'number' ? sql`${null}::double precision[]` : sql`${null}::text[]`,
  );
  return sql`select * from unnest(${sql.join(typed)})`;
}

/** An array as PostgreSQL reads it: one text takes a fraction of what the driver needs for its elements. */
function arrayText(values: readonly unknown[]): string {
  return `{${values.map((value) => (typeof value === 'number' ? value : quoted(String(value)))).join()}}`;
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
