import type { Kysely } from 'kysely';
import { ownInstance } from './tables.ts';
import type { DailySum } from './sums.ts';
import type { UsageTables } from './tables.ts';

/** Different clients of one user on one day; people have a few, and a name is whatever a program says. */
const mostClients = 50;
/** Stands for all clients beyond that. */
const otherClients = 'other';

/** Days of users that are remembered. */
const mostKnown = 50_000;

type Named = Pick<DailySum, 'user_id' | 'day' | 'client'>;

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
    for (const event of events) {
      const key = `${event.day} ${event.user_id}`;
      const clients = this.#known.get(key) ?? (await this.#read(event));
      this.#known.set(key, clients);
      if (clients.has(event.client)) continue;
      if (clients.size < mostClients) clients.add(event.client);
      else event.client = otherClients;
    }
  }

  async #read({ user_id, day }: Named): Promise<Set<string>> {
    const rows = await this.#db
      .selectFrom('usage_daily')
      .select('client')
      .distinct()
      .where('instance_id', '=', ownInstance)
      .where('user_id', '=', user_id)
      .where('month', '=', day.slice(0, 7))
      .where('day', '=', day)
      .limit(mostClients)
      .execute();
    return new Set(rows.map(({ client }) => client));
  }
}
