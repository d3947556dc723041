import type { CompiledQuery, Kysely } from 'kysely';

/** Rows in one statement: few enough to be built and prepared once for each number of them, and kept. */
const rowsAtOnce = 50;

/** Writes many rows of one kind; every row has the same keys in the order of the statement's values. */
export class RowWriter<Tables, Row extends object> {
  readonly #compile: (db: Kysely<Tables>, rows: readonly Row[]) => CompiledQuery;
  /** By number of rows: building a statement takes longer than running it. */
  readonly #compiled = new Map<number, CompiledQuery>();

  constructor(compile: (db: Kysely<Tables>, rows: readonly Row[]) => CompiledQuery) {
    this.#compile = compile;
  }

  async write(db: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
    for (let start = 0; start < rows.length; start += rowsAtOnce) {
      const some = rows.slice(start, start + rowsAtOnce);
      const query = this.#compiled.get(some.length) ?? this.#compile(db, some);
      this.#compiled.set(some.length, query);
      await db.executeQuery({ ...query, parameters: some.flatMap((row) => Object.values(row)) });
    }
  }
}
