import type { CallRecord } from '@sextant/core';
import type { CompiledQuery, Kysely } from 'kysely';
import { mainLanguage } from './languages.ts';
import { RowWriter } from './row-writer.ts';
import { SumStore } from './sum-store.ts';
import { dailySums } from './sums.ts';
import { ownInstance } from './tables.ts';
import type { UsageTables } from './tables.ts';

type Event = Omit<UsageTables['usage_event'], 'id'>;

/** Events that are deleted at once: other users of the database hardly notice it. */
const deletedAtOnce = 500;

const maxNameLength = 100;

/** The events as they happened, in the order in which they were written. */
export class EventStore {
  readonly #db: Kysely<UsageTables>;
  readonly #sums = new SumStore();
  readonly #events = new RowWriter<UsageTables, Event>((db, rows) =>
    db.insertInto('usage_event').values(rows).compile(),
  );

  readonly #progress: CompiledQuery;

  constructor(db: Kysely<UsageTables>) {
    this.#db = db;
    this.#progress = db
      .updateTable('usage_progress')
      .set({ event_id: (eb) => eb.selectFrom('usage_event').select(({ fn }) => fn.max('id').as('last')) })
      .compile();
  }

  /** Writes records and adds them up: all or none, so that each counts once, whoever stops in between. */
  async write(records: readonly CallRecord[]): Promise<void> {
    const events = records.map(toEvent);
    await this.#db.transaction().execute(async (transaction) => {
      await this.#events.write(transaction, events);
      await this.#sums.add(transaction, dailySums(ownInstance, events));
      await transaction.executeQuery(this.#progress);
    });
  }

  /** Deletes the oldest events up to a time, some at once; answers whether there may be more of them. */
  async deleteBefore(time: number): Promise<boolean> {
    const oldest = await this.#db
      .selectFrom('usage_event')
      .select(['id', 'started_at'])
      .orderBy('id')
      .limit(deletedAtOnce)
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

const dayMs = 24 * 3600 * 1000;
let known = { day: Number.NaN, text: '' };

/** Most calls are of the day of the one before, and writing a date takes longer than all the rest of an event. */
function dayOf(time: number): string {
  const day = Math.floor(time / dayMs);
  if (day !== known.day) known = { day, text: new Date(time).toISOString().slice(0, 10) };
  return known.text;
}
