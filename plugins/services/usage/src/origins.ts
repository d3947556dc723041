import type { Kysely } from 'kysely';
import { KeyTree } from './key-tree.ts';
import { originKey } from './tables.ts';
import type { UsageTables } from './tables.ts';

export type Origin = Omit<UsageTables['usage_origin'], 'id'>;

/** How many numbers are remembered; there are so many of thousands of users. */
const mostKnown = 50_000;

/** The numbers of origins. */
export class Origins {
  readonly #db: Kysely<UsageTables>;
  #known = new KeyTree<number>();
  #count = 0;

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  /** Undefined where it was not asked for yet, or long ago. */
  known({ user_id, client, kind, tool, endpoint, language, outcome, credits }: Origin): number | undefined {
    return this.#known.at([user_id, client, kind, tool, endpoint, language, outcome, credits]).value;
  }

  /** Gives it a number, unless it has one. */
  async learn({ user_id, client, kind, tool, endpoint, language, outcome, credits }: Origin): Promise<number> {
    const origin = { user_id, client, kind, tool, endpoint, language, outcome, credits };
    await this.#db
      .insertInto('usage_origin')
      .values(origin)
      .onConflict((conflict) => conflict.columns([...originKey]).doNothing())
      .execute();
    const { id } = await this.#db
      .selectFrom('usage_origin')
      .select('id')
      .where((eb) => eb.and(Object.fromEntries(originKey.map((column) => [column, origin[column]]))))
      .executeTakeFirstOrThrow();
    this.#keep(origin, id);
    return id;
  }

  #keep(origin: Origin, id: number): void {
    if (this.#count >= mostKnown) [this.#known, this.#count] = [new KeyTree(), 0];
    this.#known.at(originKey.map((column) => origin[column])).value = id;
    this.#count += 1;
  }
}
