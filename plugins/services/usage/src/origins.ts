import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import { KeyTree } from './key-tree.ts';
import { originKey } from './tables.ts';
import type { UsageTables } from './tables.ts';

export type Origin = Omit<UsageTables['usage_origin'], 'id'>;

/** How many numbers are remembered: there are fewer of thousands of users. */
const mostKnown = 100_000;

type Place = ReturnType<KeyTree<number>['at']>;

/** The numbers of origins. */
export class Origins {
  readonly #db: Kysely<UsageTables>;
  #known = new KeyTree<number>();
  #count = 0;
  #query: CompiledQuery | undefined;

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  /** The number of each in turn; those that are new are given one. */
  async numbersOf(origins: readonly Origin[]): Promise<number[]> {
    if (this.#count >= mostKnown) [this.#known, this.#count] = [new KeyTree(), 0];
    const places = origins.map((origin) => this.#known.at(partsOf(origin)));
    if (places.some(({ value }) => value === undefined)) await this.#learn(origins, places);
    return places.flatMap(({ value }) => value ?? []);
  }

  async #learn(origins: readonly Origin[], places: readonly Place[]): Promise<void> {
    const learned = new Map<Place, number>();
    await this.#db.transaction().execute(async (transaction) => {
      for (const [at, place] of places.entries()) {
        const origin = origins[at];
        if (origin && place.value === undefined && !learned.has(place))
          learned.set(place, await this.#idOf(transaction, origin));
      }
    });
    // Only now: numbers of a transaction that failed are given to others.
    for (const [place, id] of learned) place.value = id;
    this.#count += learned.size;
  }

  async #idOf(transaction: Transaction<UsageTables>, origin: Origin): Promise<number> {
    this.#query ??= transaction
      .insertInto('usage_origin')
      .values(pick(origin))
      // Changes nothing, but answers the number.
      .onConflict((conflict) =>
        conflict.columns([...originKey]).doUpdateSet(({ ref }) => ({ credits: ref('excluded.credits') })),
      )
      .returning('id')
      .compile();
    const { rows } = await transaction.executeQuery<{ id: number }>({
      ...this.#query,
      parameters: Object.values(pick(origin)),
    });
    const [row] = rows;
    if (!row) throw new Error('the database gave an origin no number');
    return row.id;
  }
}

const partsOf = ({
  kind,
  endpoint,
  outcome,
  credits,
  tool,
  client,
  language,
  user_id,
}: Origin): (string | number)[] => [kind, endpoint, outcome, credits, tool, client, language, user_id];

/** Without what else an event has; always in the same order. */
const pick = ({ user_id, client, kind, tool, endpoint, language, outcome, credits }: Origin): Origin => ({
  user_id,
  client,
  kind,
  tool,
  endpoint,
  language,
  outcome,
  credits,
});
