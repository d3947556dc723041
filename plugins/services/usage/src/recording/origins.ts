import type { Kysely, Selectable } from 'kysely';
import { KeyTree } from './key-tree.ts';
import { RowWriter } from '../database/row-writer.ts';
import { originKey } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';

export type Origin = Omit<UsageTables['usage_origin'], 'id'>;

/** How many numbers are remembered: there are fewer of thousands of users. */
const mostKnown = 100_000;

type Place = ReturnType<KeyTree<number>['at']>;

/** The numbers of origins. */
export class Origins {
  readonly #db: Kysely<UsageTables>;
  readonly #writer = new RowWriter<UsageTables, Origin>(originKey, (db, rows) =>
    db
      .insertInto('usage_origin')
      .columns([...originKey])
      .expression(rows)
      // Changes nothing, but answers the number.
      .onConflict((conflict) =>
        conflict.columns([...originKey]).doUpdateSet(({ ref }) => ({ credits: ref('excluded.credits') })),
      )
      .returning(['id', ...originKey])
      .compile(),
  );
  #known = new KeyTree<number>();
  #count = 0;

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  /** The number of each in turn; those that are new are given one. */
  async numbersOf(origins: readonly Origin[]): Promise<number[]> {
    if (this.#count >= mostKnown) [this.#known, this.#count] = [new KeyTree(), 0];
    const places = origins.map((origin) => this.#known.at(partsOf(origin)));
    const unknown = new Map<Place, Origin>();
    for (const [at, origin] of origins.entries()) {
      const place = places[at];
      if (place && place.value === undefined) unknown.set(place, origin);
    }
    if (unknown.size > 0) await this.#learn([...unknown.values()]);
    return places.map(({ value }) => {
      if (value === undefined) throw new Error('the database gave an origin no number');
      return value;
    });
  }

  async #learn(origins: readonly Origin[]): Promise<void> {
    const rows = await this.#db.transaction().execute((transaction) => this.#writer.write(transaction, origins));
    // Only now: numbers of a transaction that failed are given to others.
    for (const row of rows as Selectable<UsageTables['usage_origin']>[]) this.#known.at(partsOf(row)).value = row.id;
    this.#count += rows.length;
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
