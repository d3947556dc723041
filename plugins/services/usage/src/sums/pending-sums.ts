import type { Kysely, Transaction } from 'kysely';
import { SumStore } from './sum-store.ts';
import { DailySums } from './sums.ts';
import type { SummedEvent } from './sums.ts';
import type { UsageTables } from '../database/tables.ts';

type Range = UsageTables['usage_unsummed'];

/** What waits in memory at most, and for how long; the more events, the more of them add to the same sum. */
const mostEvents = 50_000;
const mostSums = 20_000;
const longestMs = 60_000;

/** Events of one transaction where they are read again. */
const readAtOnce = 5000;

/**
 * What was written and not added up yet: a sum is written once for many events, which it takes longer than to write one.
 * A table says which events these are, so that nothing is lost or counted twice in a crash, and when several write at
 * once: sums in memory hold only while the table has exactly their range.
 */
export class PendingSums {
  readonly #db: Kysely<UsageTables>;
  readonly #store = new SumStore();
  #own: { range: Range; sums: DailySums; begun: number } | undefined;
  #settling: Promise<void> | undefined;

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  /** Whether it is time to add up what waits. */
  areMany(): boolean {
    if (!this.#own) return false;
    const { sums, begun } = this.#own;
    return sums.events >= mostEvents || sums.size >= mostSums || performance.now() - begun >= longestMs;
  }

  /** Notes events that were just written, in the transaction that wrote them; answers the range that they belong to. */
  async claim(transaction: Transaction<UsageTables>, { first_id, last_id }: Range): Promise<Range> {
    const own = this.#own?.range;
    if (own && own.last_id + 1 === first_id) {
      const { numUpdatedRows } = await transaction
        .updateTable('usage_unsummed')
        .set({ last_id })
        .where('first_id', '=', own.first_id)
        .where('last_id', '=', own.last_id)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) return { first_id: own.first_id, last_id };
    }
    await transaction.insertInto('usage_unsummed').values({ first_id, last_id }).execute();
    return { first_id, last_id };
  }

  /** Adds events up in memory, once they are written. */
  add(range: Range, events: readonly SummedEvent[]): void {
    const isLonger = this.#own?.range.first_id === range.first_id;
    const { sums, begun } = (isLonger && this.#own) || { sums: new DailySums(), begun: performance.now() };
    sums.add(events);
    this.#own = { range, sums, begun };
  }

  /** Writes the sums of everything that is written, also of what others left. */
  settle(): Promise<void> {
    this.#settling ??= this.#settle().finally(() => (this.#settling = undefined));
    return this.#settling;
  }

  async #settle(): Promise<void> {
    await this.#settleOwn();
    for (let left = await this.#leftByOthers(); left; left = await this.#leftByOthers()) await this.#settleLeft(left);
  }

  async #settleOwn(): Promise<void> {
    if (!this.#own) return;
    const settled = await this.#db.transaction().execute(async (transaction) => {
      const own = this.#own;
      if (!own || !(await remove(transaction, own.range))) return undefined;
      await this.#store.add(transaction, own.sums.sorted());
      return own;
    });
    if (this.#own === settled) this.#own = undefined;
  }

  #leftByOthers(): Promise<Range | undefined> {
    return this.#db
      .selectFrom('usage_unsummed')
      .selectAll()
      .where('first_id', '!=', this.#own?.range.first_id ?? 0)
      .orderBy('first_id')
      .limit(1)
      .executeTakeFirst();
  }

  /** Reads the first events of a range again; the rest stays a range. */
  async #settleLeft(range: Range): Promise<void> {
    const { first_id, last_id } = range;
    const until = Math.min(last_id, first_id + readAtOnce - 1);
    await this.#db.transaction().execute(async (transaction) => {
      if (!(await remove(transaction, range))) return;
      if (until < last_id)
        await transaction
          .insertInto('usage_unsummed')
          .values({ first_id: until + 1, last_id })
          .execute();
      const sums = new DailySums();
      sums.add(await eventsIn(transaction, { first_id, last_id: until }));
      await this.#store.add(transaction, sums.sorted());
    });
  }
}

/** Whether the range was there as it is: if not, someone else has added it up, or writes on. */
async function remove(db: Transaction<UsageTables>, { first_id, last_id }: Range): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('usage_unsummed')
    .where('first_id', '=', first_id)
    .where('last_id', '=', last_id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const eventsIn = (db: Transaction<UsageTables>, { first_id, last_id }: Range): Promise<SummedEvent[]> =>
  db
    .selectFrom('usage_event')
    .innerJoin('usage_origin', 'usage_origin.id', 'usage_event.origin_id')
    .select(['user_id', 'day', 'client', 'language', 'tool', 'kind', 'milliseconds', 'outcome', 'credits'])
    .select('repository_id')
    .where('usage_event.id', '>=', first_id)
    .where('usage_event.id', '<=', last_id)
    .execute();

/** The last event that was written. */
export const progressOf = (db: Kysely<UsageTables>): Promise<UsageTables['usage_progress']> =>
  db.selectFrom('usage_progress').select('event_id').executeTakeFirstOrThrow();

/** The sums have every event up to this one, and perhaps some after it. */
export async function lastSummed(db: Kysely<UsageTables>): Promise<number> {
  // In this order: what is written in between is after the first answer.
  const { event_id } = await progressOf(db);
  const { first } = await db
    .selectFrom('usage_unsummed')
    .select(({ fn }) => fn.min<number | null>('first_id').as('first'))
    .executeTakeFirstOrThrow();
  return first === null ? event_id : Math.min(event_id, first - 1);
}
