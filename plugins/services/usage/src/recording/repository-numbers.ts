import type { Kysely } from 'kysely';
import type { UsageTables } from '../database/tables.ts';

/** How many names are remembered. */
const mostKnown = 50_000;
const namesAtOnce = 500;

/** The numbers of repositories, by their names. */
export class RepositoryNumbers {
  readonly #db: Kysely<UsageTables>;
  readonly #known = new Map<string, number>();

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  /** The number of each in turn, 0 for the empty name; those that are new are given one. */
  async of(names: readonly string[]): Promise<number[]> {
    if (this.#known.size >= mostKnown) this.#known.clear();
    const unknown = [...new Set(names)].filter((name) => name !== '' && !this.#known.has(name));
    for (let start = 0; start < unknown.length; start += namesAtOnce)
      await this.#learn(unknown.slice(start, start + namesAtOnce));
    return names.map((name) => this.#known.get(name) ?? 0);
  }

  async #learn(names: readonly string[]): Promise<void> {
    await this.#db
      .insertInto('usage_repository')
      .values(names.map((name) => ({ name })))
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    const rows = await this.#db.selectFrom('usage_repository').selectAll().where('name', 'in', names).execute();
    for (const { id, name } of rows) this.#known.set(name, id);
  }
}
