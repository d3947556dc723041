import type { CallRecord } from '@sextant/core';
import type { CompiledQuery, Insertable, Kysely } from 'kysely';
import { mainLanguage } from './languages.ts';
import type { UsageTables } from './tables.ts';

type Event = Insertable<UsageTables['usage_event']>;

/** How many events one statement writes: other users of the database hardly notice it. */
export const batchSize = 500;

const maxNameLength = 100;

/** The events as they happened, in the order in which they were written. */
export class EventStore {
  readonly #db: Kysely<UsageTables>;
  /** By number of rows: building a statement of thousands of values takes longer than running it. */
  readonly #inserts = new Map<number, CompiledQuery>();

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
  }

  /** Writes at most `batchSize` records, all or none. */
  async write(records: readonly CallRecord[]): Promise<void> {
    const events = records.map(toEvent);
    const insert = this.#inserts.get(events.length) ?? this.#db.insertInto('usage_event').values(events).compile();
    this.#inserts.set(events.length, insert);
    await this.#db.executeQuery({ ...insert, parameters: events.flatMap((event) => Object.values(event)) });
  }

  /** Deletes the oldest events up to a time, some at once; answers whether there may be more of them. */
  async deleteBefore(time: number): Promise<boolean> {
    const oldest = await this.#db
      .selectFrom('usage_event')
      .select(['id', 'started_at'])
      .where('id', '<=', this.#db.selectFrom('usage_progress').select('event_id'))
      .orderBy('id')
      .limit(batchSize)
      .execute();
    const kept = oldest.findIndex((event) => event.started_at >= time);
    const last = oldest.at(kept < 0 ? -1 : kept - 1);
    if (!last || kept === 0) return false;
    await this.#db.deleteFrom('usage_event').where('id', '<=', last.id).execute();
    return kept < 0;
  }
}

/** Every event has the same keys in the same order: the statement is built once for all. */
const toEvent = (record: CallRecord): Event => ({
  started_at: Math.floor(record.startedAt),
  day: dayOf(record.startedAt),
  user_id: record.userId,
  client: (record.clientName ?? '').slice(0, maxNameLength),
  kind: record.kind,
  tool: record.name,
  endpoint: record.endpoint,
  language: mainLanguage(record.files),
  milliseconds: record.milliseconds,
  outcome: record.outcome,
  credits: record.credits,
});

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
