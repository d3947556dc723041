import type { CompiledQuery, Kysely } from 'kysely';

/** Rows in one statement; a rest is written by halves of it, so that there are six statements in all to build and keep. */
const rowsAtOnce = 32;

/** Writes many rows of one kind; every row has the same keys in the order of the statement's values. */
export class RowWriter<Tables, Row extends object> {
  readonly #compile: (db: Kysely<Tables>, rows: readonly Row[]) => CompiledQuery;
  /** By number of rows: building a statement takes longer than running it. */
  readonly #compiled = new Map<number, CompiledQuery>();

  constructor(compile: (db: Kysely<Tables>, rows: readonly Row[]) => CompiledQuery) {
    this.#compile = compile;
  }

  async write(db: Kysely<Tables>, rows: readonly Row[]): Promise<void> {
    let size = rowsAtOnce;
    for (let start = 0; start < rows.length; start += size) {
      while (size > rows.length - start) size /= 2;
      const some = rows.slice(start, start + size);
      const query = this.#compiled.get(size) ?? this.#compile(db, some);
      this.#compiled.set(size, query);
      const parameters: unknown[] = [];
      for (const row of some) parameters.push(...Object.values(row));
      await db.executeQuery({ ...query, parameters });
    }
  }
}
