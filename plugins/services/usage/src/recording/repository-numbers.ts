import type { Kysely } from 'kysely';
import type { UsageTables } from '../database/tables.ts';
import type { RepositoryKeys } from './repository-keys.ts';

/** How many names are remembered. */
const mostKnown = 50_000;
const namesAtOnce = 500;

/** The numbers of repositories that are served, by their names. */
export class RepositoryNumbers {
  readonly #db: Kysely<UsageTables>;
  readonly #keys: RepositoryKeys;
  /** By their keys. */
  readonly #known = new Map<string, number>();

  constructor(db: Kysely<UsageTables>, keys: RepositoryKeys) {
    this.#db = db;
    this.#keys = keys;
  }

  /** The number of each in turn, 0 for none and for a name that no repository has; those that are new are given one. */
  async of(names: readonly (string | undefined)[]): Promise<number[]> {
    if (names.every((name) => name === undefined)) return names.map(() => 0);
    if (this.#known.size >= mostKnown) this.#known.clear();
    const keys = await this.#keys();
    const wanted = names.map((name = '') => keys.get(name) ?? '');
    const unknown = [...new Set(wanted)].filter((key) => key !== '' && !this.#known.has(key));
    for (let start = 0; start < unknown.length; start += namesAtOnce)
      await this.#learn(unknown.slice(start, start + namesAtOnce));
    return wanted.map((key) => this.#known.get(key) ?? 0);
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
