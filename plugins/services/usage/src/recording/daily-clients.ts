import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { isHere } from '../database/row-writer.ts';
import { ownInstance } from '../database/tables.ts';
import type { DailySum } from '../sums/sums.ts';
import type { UsageTables } from '../database/tables.ts';

/** Different clients of one user on one day; people have a few, and a name is whatever a program says. */
const mostClients = 50;
/** Stands for all clients beyond that. */
const otherClients = 'other';

/** Days of users that are remembered. */
const mostKnown = 50_000;

/** Users whose days are read by one statement. */
const usersAtOnce = 500;

type Named = Pick<DailySum, 'user_id' | 'day' | 'client'>;
type NamedClient = Pick<Named, 'user_id' | 'client'>;

/** Bounds the names of clients, of which there is a row for each day and tool for ever: no call is lost, it counts as one of others. */
export class DailyClients {
  readonly #db: Kysely<UsageTables>;
  readonly #known = new Map<string, Set<string>>();

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  /** Whether names are to be forgotten soon, which are then read from the sums. */
  areMany(): boolean {
    return this.#known.size >= mostKnown;
  }

  /** Gives the clients beyond the bound their common name. What is forgotten is read again: all sums must be written. */
  async bound(events: readonly Named[]): Promise<void> {
    if (this.areMany()) this.#known.clear();
    const unknown = events.filter((event) => !this.#known.has(keyOf(event)));
    for (const [day, some] of Map.groupBy(unknown, ({ day }) => day))
      await this.#read(day, [...new Set(some.map(({ user_id }) => user_id))]);
    for (const event of events) {
      const clients = this.#known.get(keyOf(event));
      if (!clients || clients.has(event.client)) continue;
      if (clients.size < mostClients) clients.add(event.client);
      else event.client = otherClients;
    }
  }

  async #read(day: string, users: readonly number[]): Promise<void> {
    for (let start = 0; start < users.length; start += usersAtOnce) {
      const some = users.slice(start, start + usersAtOnce);
      const rows = await (isHere(this.#db) ? namedOfList(this.#db, day, some) : namedOfEach(this.#db, day, some));
      for (const user_id of some) this.#known.set(keyOf({ user_id, day }), new Set());
      for (const { user_id, client } of rows) this.#known.get(keyOf({ user_id, day }))?.add(client);
    }
  }
}

const keyOf = ({ user_id, day }: Pick<Named, 'user_id' | 'day'>): string => `${day} ${user_id}`;

const namedOfList = (db: Kysely<UsageTables>, day: string, users: readonly number[]): Promise<NamedClient[]> =>
  db
    .selectFrom('usage_daily')
    .select(['user_id', 'client'])
    .distinct()
    .where('instance_id', '=', ownInstance)
    .where('user_id', 'in', users)
    .where('month', '=', day.slice(0, 7))
    .where('day', '=', day)
    .execute();

/** User by user: of a list PostgreSQL reads the whole index while it has no statistics of the table. */
async function namedOfEach(db: Kysely<UsageTables>, day: string, users: readonly number[]): Promise<NamedClient[]> {
  const { rows } = await sql<NamedClient>`select someone.id as user_id, named.client
    from unnest(${users}::bigint[]) someone(id) cross join lateral (
      select distinct client from usage_daily where instance_id = ${ownInstance} and user_id = someone.id
        and month = ${day.slice(0, 7)} and day = ${day}
    ) named`.execute(db);
  return rows;
}
