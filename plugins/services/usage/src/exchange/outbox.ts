import { sql } from 'kysely';
import type { Kysely } from 'kysely';
import { lastSummed } from '../sums/pending-sums.ts';
import type { DailySum } from '../sums/sums.ts';
import { dailyKey, ownInstance } from '../database/tables.ts';
import type { UsageTables } from '../database/tables.ts';
import { lastDay } from './lines.ts';

/** Sums that are sent at once, and events that are looked through for sums that changed. */
const sumsAtOnce = 2000;
const eventsAtOnce = 5000;

/** What is to be sent next, and where sending goes on once it has arrived. */
export interface Parcel {
  readonly sums: readonly DailySum[];
  readonly reached: Progress;
}

type Progress = Omit<UsageTables['usage_push'], 'target'>;

const finished = '';
const beginning = '[]';

/**
 * What another instance does not have yet, but for days that a wrong clock put into the future, which it would refuse: at first all sums in the order of their key, then those of new events. Where
 * it got to is kept, so that a restart goes on there.
 */
export class Outbox {
  readonly #db: Kysely<UsageTables>;
  readonly #target: string;

  constructor(db: Kysely<UsageTables>, target: string) {
    this.#db = db;
    this.#target = target;
  }

  /** Undefined when everything was sent. */
  async next(): Promise<Parcel | undefined> {
    const last = await lastSummed(this.#db);
    const { first } = await this.#db
      .selectFrom('usage_event')
      .select(({ fn }) => fn.min('id').as('first'))
      .executeTakeFirstOrThrow();
    const known = await this.#db
      .selectFrom('usage_push')
      .select(['event_id', 'sent_to'])
      .where('target', '=', this.#target)
      .executeTakeFirst();
    // Never sent, or for so long that events were deleted meanwhile.
    if (!known || Number(first ?? 0) > known.event_id + 1)
      return this.#nextOfAll({ event_id: last, sent_to: beginning });
    if (known.sent_to !== finished) return this.#nextOfAll(known);
    return last > known.event_id ? this.#nextOfNew(known, last) : undefined;
  }

  async sent({ reached }: Parcel): Promise<void> {
    await this.#db
      .insertInto('usage_push')
      .values({ target: this.#target, ...reached })
      .onConflict((conflict) => conflict.column('target').doUpdateSet(reached))
      .execute();
  }

  async #nextOfAll({ event_id, sent_to }: Progress): Promise<Parcel> {
    const after: readonly unknown[] = JSON.parse(sent_to);
    let query = this.#db.selectFrom('usage_daily').selectAll().where('instance_id', '=', ownInstance).limit(sumsAtOnce);
    for (const column of dailyKey) query = query.orderBy(column);
    query = query.where('day', '<=', lastDay());
    if (after.length > 0)
      query = query.where(
        sql<boolean>`(${sql.join(dailyKey.map((column) => sql.ref(column)))}) > (${sql.join(after)})`,
      );
    const sums = await query.execute();
    const last = sums.length < sumsAtOnce ? undefined : sums.at(-1);
    const sentTo = last ? JSON.stringify(dailyKey.map((column) => last[column])) : finished;
    return { sums, reached: { event_id, sent_to: sentTo } };
  }

  async #nextOfNew({ event_id }: Progress, last: number): Promise<Parcel> {
    const until = Math.min(last, event_id + eventsAtOnce);
    const sums = await this.#db
      .selectFrom('usage_event')
      .innerJoin('usage_origin', 'usage_origin.id', 'usage_event.origin_id')
      .innerJoin('usage_daily', (join) =>
        join
          .onRef('usage_daily.user_id', '=', 'usage_origin.user_id')
          .onRef('usage_daily.month', '=', sql`substr(usage_event.day, 1, 7)`)
          .onRef('usage_daily.day', '=', 'usage_event.day')
          .onRef('usage_daily.client', '=', 'usage_origin.client')
          .onRef('usage_daily.language', '=', 'usage_origin.language')
          .onRef('usage_daily.tool', '=', 'usage_origin.tool')
          .onRef('usage_daily.kind', '=', 'usage_origin.kind'),
      )
      .selectAll('usage_daily')
      .distinct()
      .where('usage_daily.instance_id', '=', ownInstance)
      .where('usage_daily.day', '<=', lastDay())
      .where('usage_event.id', '>', event_id)
      .where('usage_event.id', '<=', until)
      .execute();
    return { sums, reached: { event_id: until, sent_to: finished } };
  }
}
